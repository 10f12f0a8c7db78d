"""Anchors of Proposal and MultiProposal."""

from collections.abc import Sequence

import numpy as np

__all__ = ["anchors_of"]


def anchors_of(stride: int, scales: Sequence[float], ratios: Sequence[float]) -> np.ndarray:
    """Return the corners of the anchors around the first pixel, in pixels of the image.

    Parameters
    ----------
    stride : int
        Pixels of the image per pixel of the map.
    scales, ratios : sequence of float
        Sides in strides, and heights over widths.

    Examples
    --------
    >>> anchors_of(16, (1,), (1,)).tolist()
    [[0.0, 0.0, 15.0, 15.0]]
    """
    anchors = []
    for ratio, scale in ((ratio, scale) for ratio in ratios for scale in scales):
        width = np.floor(np.sqrt(np.floor(stride**2 / ratio)) + 0.5)
        half = (np.array([width, np.floor(width * ratio + 0.5)]) * scale - 1) / 2
        middle = (stride - 1) / 2
        anchors.append(np.concatenate([middle - half, middle + half]))
    return np.array(anchors)
