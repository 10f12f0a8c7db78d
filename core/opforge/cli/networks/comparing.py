"""`compare`: the results of two runs of a network, layer by layer."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

__all__ = ["Difference", "compare"]


class Difference(NamedTuple):
    """Difference of the results that have one name.

    Parameters
    ----------
    name : str
    shape : tuple of int
    largest : float
        Largest difference in units of the largest magnitude; infinite for other shapes, or for
        elements that are finite in one run only.
    is_same : bool
        Whether it is within the tolerance.
    """

    name: str
    shape: tuple[int, ...]
    largest: float
    is_same: bool


def compare(
    one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray], tolerance: float
) -> list[Difference]:
    """Return the differences of the results that both have, in the order of the first.

    Examples
    --------
    >>> x = np.array([1.0, 2.0])
    >>> [row.is_same for row in compare({"a": x, "b": x}, {"a": x, "b": x + 1}, 1e-3)]
    [True, False]
    """
    rows = []
    for name, array in one.items():
        if name in other:
            largest = _largest(array, other[name])
            rows.append(Difference(name, array.shape, largest, largest <= tolerance))
    return rows


def _largest(one: np.ndarray, other: np.ndarray) -> float:
    if one.size != other.size:  # a scalar is an array of one element in some formats
        return float("inf")
    a, b = one.astype(np.float64).ravel(), other.astype(np.float64).ravel()
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return float("inf")
    if not finite.any():
        return 0.0
    scale = max(float(np.abs(a[finite]).max()), float(np.abs(b[finite]).max()), 1e-30)
    return float(np.abs(a[finite] - b[finite]).max()) / scale
