"""Central differences of a scalar function of an array."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["central_differences"]


def central_differences(
    number: Callable[[], float], point: np.ndarray, step: float, target: Any
) -> np.ndarray:
    """Return the numeric derivative of a scalar with respect to each element of an array.

    Parameters
    ----------
    number : callable
        Compute the scalar from the values in `target`.
    point : numpy.ndarray
        Point at which to compute the derivative.
    step : float
        Distance to either side of the point.
    target : NDArray
        Array that is set to each evaluation point, and to `point` at the end.

    Returns
    -------
    numpy.ndarray
        Float64, with the shape of `point`.
    """
    moved = np.array(point)
    gradient = np.zeros(moved.shape, np.float64)
    for index in np.ndindex(moved.shape):
        values = []
        for offset in (step, -step):
            moved[index] = point[index] + offset
            target[:] = moved
            values.append(number())
        moved[index] = point[index]
        gradient[index] = (values[0] - values[1]) / (2 * step)
    target[:] = point
    return gradient
