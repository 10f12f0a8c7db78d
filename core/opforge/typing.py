"""Names for annotations.

`Operators` is the type of `F` in `hybrid_forward` and `compose`: `nd`, or `sym` in a graph. Here it
is `Any`; the stubs that ``opforge stubs`` writes list the installed operators.
"""

from typing import Any, TypeAlias

__all__ = ["Operators"]

Operators: TypeAlias = Any
