"""`MatricesMixin`: elements of matrices at known positions, as vectors."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .value import Value

__all__ = ["MatricesMixin"]


class MatricesMixin:
    """Methods of `Call` that read and write elements of the matrices in the last two axes."""

    node: Callable[..., Any]
    integers: Callable[..., str]
    constant: Callable[..., str]

    def take_elements(
        self, matrices: "Value | str", shape: Sequence[int], rows: np.ndarray, columns: np.ndarray
    ) -> str:
        """Return elements of matrices as vectors.

        Parameters
        ----------
        matrices : Value or str
        shape : sequence of int
            Of the matrices; sizes of axes before the last two may change.
        rows, columns : numpy.ndarray
            Positions of the elements.
        """
        flat = self.node("Reshape", matrices, self.integers(*[0] * (len(shape) - 2), -1))
        positions = self.integers(*(rows * shape[-1] + columns))
        return str(self.node("Gather", flat, positions, axis=len(shape) - 2))

    def put_elements(
        self, vectors: Value, shape: Sequence[int], rows: np.ndarray, columns: np.ndarray
    ) -> str:
        """Return matrices with the elements of vectors at positions, and zeros elsewhere.

        Parameters
        ----------
        vectors : Value
        shape : sequence of int
            Of a matrix.
        rows, columns : numpy.ndarray
            Positions of the elements.
        """
        rank, length = len(vectors.shape), vectors.shape[-1]
        with_zero = self.node("Pad", vectors, self.integers(*[0] * (2 * rank - 1), 1))
        sources = np.full(shape, length)
        sources[rows, columns] = np.arange(length)
        return str(self.node("Gather", with_zero, self.constant(sources, np.int64), axis=rank - 1))
