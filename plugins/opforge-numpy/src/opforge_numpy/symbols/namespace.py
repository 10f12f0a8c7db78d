"""`namespace_of`: the operators for a function's arguments, those of arrays or those of symbols.

A function that takes its operators from the result works on both, so one body serves imperative
calls and traced graphs.
"""

import functools
import sys
from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from opforge.plugin_api import F as _nd

__all__ = ["composing", "is_symbol", "namespace_of", "symbol_operators"]

_composing: ContextVar[bool] = ContextVar("opforge_numpy_composing", default=False)


def is_symbol(value: Any) -> bool:
    """Return whether a value is a Symbol; import nothing."""
    module = sys.modules.get("opforge.symbol.symbol")
    return module is not None and isinstance(value, module.Symbol)


def namespace_of(*arguments: Any) -> ModuleType:
    """Return `opforge.sym` if any argument is a Symbol or functions compose graphs, else `nd`.

    Lists and tuples of arguments are searched too.
    """
    if _composing.get():
        return symbol_operators()
    for argument in arguments:
        is_sequence = isinstance(argument, (list, tuple))
        if any(map(is_symbol, argument)) if is_sequence else is_symbol(argument):
            return symbol_operators()
    return _nd


def composing(function: Callable[..., Any], active: bool = True) -> Callable[..., Any]:
    """Return a function that composes a graph, also if no argument is a Symbol.

    If `active` is false, it computes on arrays, also while another function composes a graph.
    """

    @functools.wraps(function)
    def composed(*args: Any, **kwargs: Any) -> Any:
        before = _composing.set(active)
        try:
            return function(*args, **kwargs)
        finally:
            _composing.reset(before)

    return composed


def symbol_operators() -> ModuleType:
    """Return `opforge.sym`, which only programs with symbols import."""
    from opforge.plugin_api import sym

    return sym
