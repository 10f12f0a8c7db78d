"""Names for annotations.

`Operators` is what `hybrid_forward` and `compose` get as `F`: `nd`, or `sym` in a graph. Here it
says nothing; the stubs that ``opforge stubs`` writes say which operators are installed.
"""

from typing import Any, TypeAlias

__all__ = ["Operators"]

Operators: TypeAlias = Any
