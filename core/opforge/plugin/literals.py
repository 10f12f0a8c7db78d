"""Literal values in source text."""

import ast
from typing import Any

__all__ = ["COMPUTED", "read_literal"]

#: Marker of an expression that is not a literal.
COMPUTED = object()


def read_literal(node: ast.expr) -> Any:
    """Return the value of a literal expression; `COMPUTED` for any other."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return COMPUTED
