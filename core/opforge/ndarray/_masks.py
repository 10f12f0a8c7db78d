"""Indexing with the result of a comparison, which is valid in MXNet 1.x but rarely intended.

A comparison returns the numbers 0 and 1, so ``a[a > 100] = 0`` writes to rows 0 and 1. Arrays of
type bool select elements, as in NumPy.
"""

import warnings
from typing import Any

import numpy as np

from ..base.config import get_bool
from ..base.errors import OpforgeError
from ..base.traps import program_level
from ..native.array import Array, is_mask

__all__ = ["warn_of_masks"]

_TEXT = (
    "an NDArray is indexed by the result of a comparison or logical operation. As in MXNet 1.x, "
    "its elements are the indices 0 and 1, not a mask. To select elements, pass "
    "mask.astype('bool'), or use nd.where(mask, x, y) or nd.contrib.boolean_mask(x, mask); if "
    "indices are intended, pass mask.astype('int32')"
)


def warn_of_masks(key: Any) -> None:
    """Warn if an advanced key contains a mask, once per line of the program.

    Raises
    ------
    OpforgeError
        A mask was passed and ``OPFORGE_STRICT_MASKS=1``.
    """
    for item in key if isinstance(key, tuple) else (key,):
        if isinstance(item, Array) and is_mask(item) and item.dtype != np.bool_:
            if get_bool("OPFORGE_STRICT_MASKS"):
                raise OpforgeError(_TEXT)
            # Python's default filters show a warning once per line.
            warnings.warn(_TEXT, FutureWarning, stacklevel=program_level())
            return
