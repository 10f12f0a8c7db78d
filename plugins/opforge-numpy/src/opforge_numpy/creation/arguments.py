"""Arguments of functions that create arrays."""

from typing import Any

from opforge.plugin_api import F

from ..arrays import adopt
from ..promotion import default_float, numpy_type

__all__ = [
    "context_of",
    "expect_order",
    "from_host",
]


def expect_order(name: str, order: str) -> None:
    """Reject orders of elements in memory other than C's."""
    if order != "C":
        raise NotImplementedError(f"np.{name}: arrays are stored in order 'C', got {order!r}")


def context_of(ctx: Any, device: Any) -> Any:
    """Return the requested device, from either of the two arguments for it."""
    return device if ctx is None else ctx


def from_host(values: Any, dtype: Any, ctx: Any) -> Any:
    """Return values that NumPy computed as an array."""
    return adopt(F.array(values, ctx=ctx, dtype=numpy_type(dtype, default_float())))
