"""Placeholders for parameters in a call that infers their shapes."""

from collections.abc import Callable
from typing import Any, NoReturn

from ...base.dtypes import dtype_of
from ...base.errors import UnknownShapeError

__all__ = ["DeferredArray"]


class DeferredArray:
    """Placeholder for a parameter of unknown shape in a call that will infer it.

    Parameters
    ----------
    shape : tuple of int
        0 for unknown dimensions.
    dtype_code : int
    complete : callable
        Called with the full shape; returns the initialized NDArray.
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
        """Element type as a NumPy scalar class."""
        return dtype_of(self.dtype_code)

    def used_as(self, how: str) -> UnknownShapeError:
        """Return the error for a use of the value; `how` completes "a parameter has no"."""
        return UnknownShapeError(
            f"a parameter of shape {self.shape} (0: unknown) has no {how} before an operator has "
            "inferred its full shape"
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise self.used_as(f"attribute {name!r}")


def _rejecting(name: str) -> Callable[..., NoReturn]:
    def reject(self: DeferredArray, *operands: Any) -> NoReturn:
        raise self.used_as(f"value for {name}")

    return reject


# Python looks these up on the class and bypasses __getattr__.
_ARITHMETIC = ("add", "sub", "mul", "truediv", "mod", "pow")
_REJECTED = (
    *_ARITHMETIC,
    *(f"r{name}" for name in _ARITHMETIC),
    *("matmul", "neg", "abs", "lt", "le", "gt", "ge", "bool", "float", "int"),
    *("len", "iter", "getitem", "setitem", "contains"),
)
for _name in _REJECTED:
    setattr(DeferredArray, f"__{_name}__", _rejecting(f"__{_name}__"))
