"""Labels and predictions as NumPy arrays."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from opforge.plugin_api import metric

from ..arrays import numpy_values

__all__ = ["class_indices", "pairs"]


def pairs(labels: Any, preds: Any) -> Iterator[tuple[Any, Any]]:
    """Yield labels and predictions of the same samples.

    Parameters
    ----------
    labels, preds : NDArray or list of NDArray

    Raises
    ------
    ValueError
        The numbers of arrays differ, or for single arrays their lengths.
    """
    labels, preds = metric.check_label_shapes(labels, preds, wrap=True)
    for label, pred in zip(labels, preds, strict=True):
        yield numpy_values(label), numpy_values(pred)


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
