"""Labels and predictions as NumPy arrays."""

from typing import Any

import numpy as np

__all__ = ["class_indices", "numpy_values"]


def numpy_values(array: Any) -> Any:
    """Return an array's values as a NumPy array."""
    return array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)


def class_indices(values: Any, what: str) -> Any:
    """Return class indices as a flat array of int64.

    Parameters
    ----------
    values : numpy.ndarray
    what : str
        What the values are, for messages.

    Raises
    ------
    ValueError
        A value is not an integer, or negative.
    """
    flat = np.ravel(values)
    indices = flat.astype(np.int64)
    wrong = (indices != flat) | (indices < 0)
    if wrong.any():
        raise ValueError(
            f"{what} contain {flat[wrong][0]}, expected class indices 0, 1, ...; "
            "sklearn.preprocessing.LabelEncoder makes them of names"
        )
    return indices
