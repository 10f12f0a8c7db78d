"""Record files of the benchmark, with reproducible synthetic images."""

from pathlib import Path

import cv2
import numpy as np

from ..recordio import MXIndexedRecordIO, pack_img
from . import cases

__all__ = ["write"]


def write(folder: Path) -> None:
    """Write photographs as JPEGs of ImageNet's size, and small images as PNGs."""
    random = np.random.default_rng(0)
    _write(folder / cases.PHOTOGRAPHS, cases.COUNT, (375, 500), ".jpg", random)
    _write(folder / cases.SMALL, cases.SMALL_COUNT, (32, 32), ".png", random)


def _write(
    path: Path, count: int, size: tuple[int, int], kind: str, random: np.random.Generator
) -> None:
    record = MXIndexedRecordIO(path.with_suffix(".idx"), path, "w")
    for number in range(count):
        quality = 95 if kind == ".jpg" else 3
        header = (0, float(number % cases.CLASSES), number, 0)
        record.write_idx(number, pack_img(header, _image(*size, random), quality, kind))
    record.close()


def _image(rows: int, columns: int, random: np.random.Generator) -> np.ndarray:
    """Return smooth shapes with noise, which compress about as well as a photograph."""
    coarse = random.uniform(0, 255, (rows // 16 + 2, columns // 16 + 2, 3)).astype(np.float32)
    smooth = cv2.resize(coarse, (columns, rows), interpolation=cv2.INTER_CUBIC)
    noisy = smooth + random.normal(0, 6, smooth.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)
