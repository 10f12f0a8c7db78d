"""Mean of all images, which `ImageRecordIter` reads from a file or computes once."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from opforge.plugin_api import F, ShapeError

__all__ = ["mean_image"]


def mean_image(
    path: str | os.PathLike[str], shape: tuple[int, ...], batches: Callable[[], Any]
) -> np.ndarray:
    """Return the mean image in a file; compute and save it if the file does not exist.

    Parameters
    ----------
    path : path-like
        File in MXNet's format: one array named ``mean_img``.
    shape : tuple of int
        (channels, height, width).
    batches : callable
        Returns an iterator over all images without augmentation.

    Raises
    ------
    ShapeError
        The file holds other arrays.
    """
    path = Path(path)
    if not path.exists():
        total, count = np.zeros(shape), 0
        with closing(batches()) as iterator:
            for batch in iterator:
                kept = len(batch.index) - (batch.pad or 0)
                total += batch.data[0].asnumpy()[:kept].sum(axis=0, dtype=np.float64)
                count += kept
        F.save(os.fspath(path), {"mean_img": F.array(total / count)})
    loaded = F.load(os.fspath(path))
    arrays = list(loaded.values() if isinstance(loaded, dict) else loaded)
    if len(arrays) != 1 or arrays[0].shape != tuple(shape):
        raise ShapeError(
            f"ImageRecordIter: mean_img {path} holds arrays of shapes "
            f"{[array.shape for array in arrays]}; expected one of shape {tuple(shape)}; delete "
            "the file to recompute it"
        )
    return arrays[0].asnumpy().astype(np.float32)
