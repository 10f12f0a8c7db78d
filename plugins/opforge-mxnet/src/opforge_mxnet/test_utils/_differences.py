"""Central differences of a number that depends on an array."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["central_differences"]


def central_differences(
    number: Callable[[], float], place: np.ndarray, step: float, target: Any
) -> np.ndarray:
    """Return the derivative of a number by each element of an array.

    Parameters
    ----------
    number : callable
        Computes the number from what stands in `target`.
    place : numpy.ndarray
        Where the derivative is taken.
    step : float
        How far to go to either side.
    target : NDArray
        Gets the points; afterwards `place`.

    Returns
    -------
    numpy.ndarray
        Of the shape of `place`, float64.
    """
    moved = np.array(place)
    gradient = np.zeros(moved.shape, np.float64)
    for index in np.ndindex(moved.shape):
        values = []
        for offset in (step, -step):
            moved[index] = place[index] + offset
            target[:] = moved
            values.append(number())
        moved[index] = place[index]
        gradient[index] = (values[0] - values[1]) / (2 * step)
    target[:] = place
    return gradient
