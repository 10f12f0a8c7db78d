"""Write pictures, archives and words as the content of files."""

import io
import struct
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

from opforge import recordio

LETTERS = list("abcdefghijklmnopqrstuvwxyz")


def picture(rng: np.random.RandomState, height: int, width: int) -> np.ndarray:
    """Return a picture of coloured squares with noise."""
    squares = rng.randint(0, 256, (height // 8 + 1, width // 8 + 1, 3))
    large = np.kron(squares, np.ones((8, 8, 1)))[:height, :width]
    return np.clip(large + rng.randint(-20, 21, (height, width, 3)), 0, 255).astype(np.uint8)


def encoded(pixels: np.ndarray, kind: str = "PNG") -> bytes:
    """Return a picture as the content of a file."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a ZIP archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    """Return a compressed tar archive."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def idx(values: np.ndarray) -> bytes:
    """Return bytes in the format of MNIST's files."""
    return struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape) + values.tobytes()


def vocabulary(rng: np.random.RandomState, count: int) -> list[str]:
    """Return different words of random letters."""
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(rng.choice(LETTERS, rng.randint(2, 9)))] = None
    return list(found)


def sentences(rng: np.random.RandomState, known: list[str], count: int, most: int) -> bytes:
    """Return lines of words; few words are frequent, as in a language."""
    chances = 1.0 / np.arange(1, len(known) + 1)
    chances /= chances.sum()
    lines = [" ".join(rng.choice(known, rng.randint(3, most), p=chances)) for _ in range(count)]
    return ("\n".join(lines) + "\n").encode()


def records(images: list[tuple[float, bytes]]) -> tuple[bytes, bytes]:
    """Return a record file of labels and encoded pictures, and its index."""
    with tempfile.TemporaryDirectory() as folder:
        index, data = Path(folder) / "a.idx", Path(folder) / "a.rec"
        writer = recordio.MXIndexedRecordIO(str(index), str(data), "w")
        for key, (label, content) in enumerate(images):
            header = recordio.IRHeader(0, label, key, 0)
            writer.write_idx(key, recordio.pack(header, content))
        writer.close()
        return data.read_bytes(), index.read_bytes()
