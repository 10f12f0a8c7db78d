"""Functions of `mx.np` and `mx.npx` as functions that compose graphs."""

import functools
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from opforge.plugin_api import UnknownShapeError

from .calls import as_symbols, deferred
from .namespace import composing

__all__ = ["bridge"]


def bridge(name: str, value: Any) -> Any:
    """Return what a symbolic namespace has for a part of the one of arrays.

    Functions compose graphs and return arrays as constants, modules contain such functions, and
    other values stay the same.

    Parameters
    ----------
    name : str
        Full name of the part.
    value : object
        The part of the namespace of arrays.
    """
    if isinstance(value, FunctionType):
        return _constants(name.partition(".np.")[2], composing(value))
    if isinstance(value, ModuleType):
        return _Bridged(name, value)
    return value


def _constants(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose results are symbols, arrays constants of the graph.

    A function of np that needs the shape of a symbol is called once this is known.
    """

    @functools.wraps(function)
    def composed(*args: Any, **kwargs: Any) -> Any:
        try:
            return as_symbols(function(*args, **kwargs))
        except UnknownShapeError:
            if not name:
                raise
            return deferred(name, args, kwargs)

    return composed


class _Bridged(ModuleType):
    """A module whose functions compose graphs."""

    def __init__(self, name: str, arrays: ModuleType) -> None:
        super().__init__(name, arrays.__doc__)
        self._arrays = arrays

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = bridge(f"{self.__name__}.{name}", getattr(self._arrays, name))
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(self._arrays)
