"""Parameters in a call that settles their shapes."""

from collections.abc import Callable
from typing import Any

from ..base.dtypes import DTYPES

__all__ = ["DeferredArray"]


class DeferredArray:
    """Stands for a parameter whose shape is not known yet, in a call that will settle it.

    Parameters
    ----------
    shape : tuple of int
        0 where unknown.
    dtype_code : int
    complete : callable
        From the full shape to the initialised NDArray.
    """

    __slots__ = ("complete", "dtype_code", "shape")

    def __init__(
        self, shape: tuple[int, ...], dtype_code: int, complete: Callable[[tuple[int, ...]], Any]
    ) -> None:
        self.shape = shape
        self.dtype_code = dtype_code
        self.complete = complete

    @property
    def dtype(self) -> Any:
        """Element type, a NumPy scalar class."""
        return DTYPES[self.dtype_code]
