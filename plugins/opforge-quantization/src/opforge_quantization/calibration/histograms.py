"""Histograms of values that arrive batch by batch."""

from typing import Any

import numpy as np

__all__ = ["Histogram", "combine_histogram", "first_histogram"]

#: Counts, edges of the bins, smallest and largest number, and the magnitude that the bins reach to.
Histogram = tuple[Any, Any, Any, Any, Any]


def first_histogram(arr: Any, num_bins: int) -> Histogram:
    """Return the histogram of an array, symmetric around 0.

    Examples
    --------
    >>> counts, edges, low, high, reach = first_histogram(np.array([-1.0, 0, 0, 2]), 5)
    >>> counts.tolist(), float(reach)
    ([0, 1, 2, 0, 1], 2.0)
    """
    low, high = np.min(arr), np.max(arr)
    reach = max(abs(low), abs(high))
    counts, edges = np.histogram(arr, bins=num_bins, range=(-reach, reach))
    return counts, edges, low, high, reach


def combine_histogram(
    old_hist: Histogram, arr: Any, new_min: Any, new_max: Any, new_th: Any
) -> Histogram:
    """Add the values of an array to a histogram, with further bins if they exceed it.

    Parameters
    ----------
    old_hist : tuple
        Counts, edges, smallest and largest number, magnitude of the outermost edges.
    arr : numpy.ndarray
    new_min, new_max : float
        Its smallest and largest number.
    new_th : float
        Its largest magnitude.

    Examples
    --------
    >>> old = first_histogram(np.array([-1.0, 0, 0, 2]), 5)
    >>> counts, edges, low, high, reach = combine_histogram(old, np.array([4.0]), 4, 4, 4)
    >>> counts.tolist(), float(high)
    ([0, 0, 0, 0, 1, 2, 0, 1, 0, 0, 1], 4.0)
    """
    counts, edges, low, high, reach = old_hist
    if new_th <= reach:
        added, _ = np.histogram(arr, bins=len(counts), range=(-reach, reach))
        return counts + added, edges, min(low, new_min), max(high, new_max), reach
    step = 2 * reach / len(counts)
    more = int((new_th - reach) // step + 1)
    reach = more * step + reach
    added, edges = np.histogram(arr, bins=len(counts) + 2 * more, range=(-reach, reach))
    added[more : more + len(counts)] += counts
    return added, edges, min(low, new_min), max(high, new_max), reach
