"""`Value`: an array of the graph, and which of its sizes may change."""

from typing import NamedTuple

import numpy as np

__all__ = ["Value"]


class Value(NamedTuple):
    """Array of the graph: its name in ONNX, its shape and its dtype.

    Parameters
    ----------
    name : str
    shape : tuple of int
        For the sizes that the graph is exported with.
    dtype : numpy.dtype
    larger : tuple of int, optional
        The shape for larger inputs; by default no size may change.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    larger: tuple[int, ...] | None = None

    def sizes(self, axis: int) -> tuple[int, int]:
        """Return the size of an axis as exported, and for larger inputs."""
        return self.shape[axis], (self.larger or self.shape)[axis]

    def is_open(self, axis: int) -> bool:
        """Return whether the size of an axis may change."""
        size, larger = self.sizes(axis)
        return size != larger

    @property
    def open_axes(self) -> tuple[int, ...]:
        """Axes whose size may change."""
        return tuple(axis for axis in range(len(self.shape)) if self.is_open(axis))
