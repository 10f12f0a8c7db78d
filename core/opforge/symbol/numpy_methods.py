"""Methods of symbols that follow NumPy while a program requests arrays of ``mx.np``.

A hybrid block then computes ``x.sum(axis=())`` in a graph as on arrays. Operators and compiler
passes keep MXNet's methods.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from ..base.numpy_semantics import is_np_array
from ._namespace import operators
from .modes import modes

__all__ = ["add_numpy_methods"]

Class = TypeVar("Class", bound=type)

# fmt: off
#: Functions of ``sym.np`` whose first argument is the array.
_FUNCTIONS = (
    "all", "any", "argmax", "argmin", "argsort", "broadcast_to", "clip", "cumsum", "diagonal",
    "dot", "expand_dims", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "round",
    "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var",
)
# fmt: on


class _Method:
    """A method that calls the function of ``sym.np``, or MXNet's method if there is one."""

    def __init__(self, name: str, legacy: Any) -> None:
        self._name, self._legacy = name, legacy
        self.__doc__ = getattr(legacy, "__doc__", None) or f"Call `np.{name}` with this symbol."

    def __get__(self, symbol: Any, owner: type) -> Any:
        if symbol is None:
            return self._legacy or self
        follows_numpy = is_np_array() and not modes.expands
        numpy = getattr(operators(), "np", None) if follows_numpy else None
        if numpy is not None:
            return _bind(getattr(numpy, self._name), symbol)
        if self._legacy is None:
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}")
        return self._legacy.__get__(symbol, owner)


def _bind(function: Callable[..., Any], symbol: Any) -> Callable[..., Any]:
    def method(*args: Any, **kwargs: Any) -> Any:
        return function(symbol, *args, **kwargs)

    return method


def add_numpy_methods(cls: Class) -> Class:
    """Add the methods to a class; this is a class decorator."""
    for name in _FUNCTIONS:
        setattr(cls, name, _Method(name, getattr(cls, name, None)))
    return cls
