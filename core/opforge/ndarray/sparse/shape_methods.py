"""`ShapeMethods`: methods of sparse arrays that change the shape and return dense arrays."""

from typing import Any, NoReturn

from ...base.errors import NotSupportedForSparseNDArray
from .._operators import operators
from .variable import SparseVariable

__all__ = ["ShapeMethods"]


class ShapeMethods(SparseVariable):
    """A sparse array whose shape methods return dense arrays."""

    __slots__ = ()

    def reshape(self, *shape: Any, **kwargs: Any) -> NoReturn:
        """Raise NotSupportedForSparseNDArray: a sparse array keeps its shape."""
        raise NotSupportedForSparseNDArray(
            f"{type(self).__name__}.reshape is not supported; use x.tostype('default').reshape(...)"
        )

    @property
    def T(self) -> Any:
        """The transposed array, dense."""
        return operators().transpose(self)

    def transpose(self, *axes: Any, **kwargs: Any) -> Any:
        """Return the array with its axes permuted, dense."""
        return self.tostype("default").transpose(*axes, **kwargs)

    def expand_dims(self, axis: int, inplace: bool = False) -> Any:
        """Return the array with an axis of length 1 inserted, dense."""
        return operators().expand_dims(self, axis)

    def flatten(self) -> Any:
        """Return the array with all axes but the first merged, dense."""
        return operators().flatten(self)

    def squeeze(self, axis: Any = None) -> Any:
        """Return the array without axes of length 1, dense."""
        return operators().squeeze(self, axis)

    def broadcast_to(self, shape: Any) -> Any:
        """Return the array with axes of length 1 repeated to `shape`, dense."""
        return operators().broadcast_to(self, shape)

    def broadcast_like(self, rhs: Any, **kwargs: Any) -> Any:
        """Return the array with axes of length 1 repeated to the shape of `rhs`, dense."""
        return operators().broadcast_like(self, rhs, **kwargs)
