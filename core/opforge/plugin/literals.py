"""Values that stand in source text as they are."""

import ast
from typing import Any

__all__ = ["COMPUTED", "read_literal"]

#: What an expression is whose value the text does not tell.
COMPUTED = object()


def read_literal(node: ast.expr) -> Any:
    """Return the value of a literal expression, `COMPUTED` for any other."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return COMPUTED
