"""Parameters in a call that settles their shapes."""

from collections.abc import Callable
from typing import Any, NoReturn

from ...base.dtypes import DTYPES
from ...base.errors import UnknownShapeError

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

    def used_as(self, how: str) -> UnknownShapeError:
        """Return the error for a use that needs the value; `how` completes "it has no"."""
        return UnknownShapeError(
            f"a parameter of shape {self.shape} (0: unknown) has no {how} before an operator has "
            "told its full shape"
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise self.used_as(f"attribute {name!r}")


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(self: DeferredArray, *operands: Any) -> NoReturn:
        raise self.used_as(f"value for {name}")

    return refuse


# Python looks these up on the class, past __getattr__.
_ARITHMETIC = ("add", "sub", "mul", "truediv", "mod", "pow")
_REFUSED = (
    *_ARITHMETIC,
    *(f"r{name}" for name in _ARITHMETIC),
    *("matmul", "neg", "abs", "lt", "le", "gt", "ge", "bool", "float", "int"),
    *("len", "iter", "getitem", "setitem", "contains"),
)
for _name in _REFUSED:
    setattr(DeferredArray, f"__{_name}__", _refusing(f"__{_name}__"))
