"""`astype`: conversion to another element type."""

from typing import Any

from .arguments import array_of
from .creation import asarray
from .dtypes import dtype_of

__all__ = ["astype"]


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Return an array with another element type.

    Parameters
    ----------
    x : Array
    dtype : dtype
    copy : bool, default True
        False: return `x` itself if it has the type.
    device : Context or str, optional

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.astype(xp.asarray([1.5]), xp.int32)
    array([1], dtype=int32)
    """
    array_of("astype", x)
    return asarray(x, dtype=dtype_of(dtype), device=device, copy=copy or None)
