"""Elements of arrays for functions of NumPy, which does not see nan in bfloat16."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from opforge.plugin_api import element_type

__all__ = ["bfloat16_of", "host_values"]


def host_values(array: Any) -> Any:
    """Return the elements in a NumPy array, those of bfloat16 as float32."""
    values = array.asnumpy()
    return values.astype(np.float32) if values.dtype.name == "bfloat16" else values


def bfloat16_of(arrays: Iterable[Any]) -> Any:
    """Return bfloat16 if all floats are of this type, to which results are converted, else None."""
    types = {np.dtype(array.dtype) for array in arrays}
    floats = {dtype for dtype in types if element_type(dtype).is_floating}
    return next(iter(floats)) if {dtype.name for dtype in floats} == {"bfloat16"} else None
