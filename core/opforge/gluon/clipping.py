"""Clipping of arrays by their global norm."""

import math
import warnings
from collections.abc import Sequence

import numpy as np

from ..ndarray import NDArray

__all__ = ["clip_global_norm"]


def clip_global_norm(
    arrays: Sequence[NDArray], max_norm: float, check_isfinite: bool = True
) -> float:
    """Scale arrays in place so that their global norm is at most `max_norm`.

    Parameters
    ----------
    arrays : list of NDArray
        Usually gradients.
    max_norm : float
    check_isfinite : bool, default True
        Warn if the norm is not finite.

    Returns
    -------
    float
        Norm before scaling.

    Examples
    --------
    >>> from opforge import nd
    >>> g = nd.array([3, 4])
    >>> clip_global_norm([g], 1.0)
    5.0
    """
    assert len(arrays) > 0, "clip_global_norm needs at least one array"
    squares = (float(np.square(a.asnumpy(), dtype=np.float64).sum()) for a in arrays)
    total = math.sqrt(sum(squares))
    if check_isfinite and not math.isfinite(total):
        warnings.warn("nan or inf is detected. Clipping results will be undefined.", stacklevel=2)
    scale = max_norm / (total + 1e-8)
    if scale < 1.0:
        for array in arrays:
            array[:] = array * scale
    return total
