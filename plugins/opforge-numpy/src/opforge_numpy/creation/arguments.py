"""Arguments of functions that create arrays."""

from typing import Any

from opforge.plugin_api import F, array_classes

from ..arrays import adopt
from ..promotion import new_type

__all__ = [
    "context_of",
    "expect_order",
    "from_host",
]

NDArray = array_classes.NDArray


def expect_order(name: str, order: str) -> None:
    """Reject orders of elements in memory other than C's."""
    if order != "C":
        raise NotImplementedError(f"np.{name}: arrays are stored in order 'C', got {order!r}")


def context_of(ctx: Any, device: Any, *values: Any) -> Any:
    """Return the requested device, from either of the two arguments for it.

    By default it is that of the first array among `values`; None without arrays.
    """
    wanted = device if ctx is None else ctx
    if wanted is None and values:
        return next((value.context for value in values if isinstance(value, NDArray)), None)
    return wanted


def from_host(values: Any, dtype: Any, ctx: Any) -> Any:
    """Return values that NumPy computed as an array."""
    return adopt(F.array(values, ctx=ctx, dtype=new_type(dtype)))
