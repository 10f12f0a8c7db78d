"""Symbols in nested lists, as bodies of control flow and hybrid blocks take and return them."""

from typing import Any

from ...base.nesting import nested, rebuilt
from ..symbol import Symbol

__all__ = ["nested_symbols", "separate"]


def separate(value: Any) -> Any:
    """Return nested outputs with a list for each symbol of several outputs, as arrays come."""
    if isinstance(value, Symbol):
        return value if len(value) == 1 else list(value)
    if isinstance(value, list | tuple):
        return rebuilt(type(value), [separate(item) for item in value])
    return value


def nested_symbols(value: Any, what: str) -> tuple[list[Symbol], Any]:
    """Return the symbols of one output in nested lists, and how they are nested.

    Parameters
    ----------
    value : Symbol or nested lists of them
    what : str
        For the error: what should be symbols.
    """
    return nested(separate(value), Symbol, what)
