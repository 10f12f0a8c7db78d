"""Indexing by what a comparison made: allowed, as in MXNet 1.x, and never what was meant.

A comparison gives the numbers 0 and 1, so that ``a[a > 100] = 0`` writes the rows 0 and 1.
"""

import warnings
from typing import Any

from ..base.config import get_bool
from ..base.errors import OpforgeError
from ..base.traps import program_level
from ..native.array import Array, is_mask

__all__ = ["refuse_masks"]

_TEXT = (
    "an NDArray is indexed by the result of a comparison or logical operation, whose elements "
    "count as positions, 0 and 1, and not as a mask, as in MXNet 1.x. Use nd.where(mask, x, y) or "
    "nd.contrib.boolean_mask(x, mask); if positions are meant, say so: mask.astype('int32')"
)


def refuse_masks(key: Any) -> None:
    """Warn, once for each line of the program, where an advanced key has a mask in it.

    Raises
    ------
    OpforgeError
        The same with ``OPFORGE_STRICT_MASKS=1``.
    """
    for item in key if isinstance(key, tuple) else (key,):
        if isinstance(item, Array) and is_mask(item):
            if get_bool("OPFORGE_STRICT_MASKS"):
                raise OpforgeError(_TEXT)
            # Python's own filters show a warning once for each line.
            warnings.warn(_TEXT, FutureWarning, stacklevel=program_level())
            return
