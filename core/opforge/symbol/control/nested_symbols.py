"""Symbols in nested lists, which control flow bodies and hybrid blocks take and return."""

from typing import Any

from ...base.nesting import nested, rebuilt
from ..symbol import Symbol, outputs_of

__all__ = ["nested_symbols", "separate"]


def separate(value: Any) -> Any:
    """Return nested outputs with multi-output symbols replaced by lists, as for arrays."""
    if isinstance(value, Symbol):
        return value if len(value.edges) == 1 else outputs_of(value)
    if isinstance(value, list | tuple):
        return rebuilt(type(value), [separate(item) for item in value])
    return value


def nested_symbols(value: Any, what: str) -> tuple[list[Symbol], Any]:
    """Return the single-output symbols in nested lists, and the nesting structure.

    Parameters
    ----------
    value : Symbol or nested lists of them
    what : str
        Description of `value`, for errors.
    """
    return nested(separate(value), Symbol, what)
