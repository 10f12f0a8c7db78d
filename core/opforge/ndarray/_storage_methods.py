"""`StorageMethods`: methods of arrays that are the same for every storage type."""

import copy
import importlib
from typing import Any, Self

from ..base.context import Context
from ..base.numpy_semantics import numpy_class
from ..native.array import as_class
from ._gradient_copies import copy_gradient

__all__ = ["StorageMethods"]


class StorageMethods:
    """Mixin for arrays with `context`, `copyto` and ``__copy__``."""

    __slots__ = ()

    @property
    def writable(self) -> bool:
        """Always True: the elements may be changed."""
        return True

    def as_in_context(self: Any, context: Context) -> Any:
        """Return the array itself if it is on `context`, else a copy there."""
        return self if self.context == context else self.copyto(context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> Self:
        """Return the array itself."""
        return self

    def as_np_ndarray(self: Any) -> Any:
        """Return an array of ``mx.np`` that shares the memory and the gradient history.

        Raises
        ------
        ImportError
            opforge-numpy is not installed.
        """
        if numpy_class() is None:
            importlib.import_module("opforge.np")  # of opforge-numpy, which sets its class
        return as_class(self, numpy_class())

    def __deepcopy__(self, memo: Any) -> Self:
        result = copy.copy(self)
        copy_gradient(result, self, memo)
        return result
