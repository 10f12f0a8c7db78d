"""Layer 3: the primitive operators, declared as rows of a table.

`register` puts them all into the registry; nothing else knows their list.
"""

from ..base.version import VERSION
from ..op.registry import register_operator
from . import (
    backward,
    binary,
    broadcasting,
    creation,
    linear,
    movement,
    ordering,
    pointwise,
    prod,
    random,
    reduce,
    reshaping,
    scalar,
    selecting,
    slicing,
    unary,
    update,
)
from ._operator import ROWS as ROWS

__all__ = ["ROWS", "TABLES", "register"]

#: The modules whose import fills `ROWS`.
TABLES = (
    backward,
    binary,
    broadcasting,
    creation,
    linear,
    movement,
    ordering,
    pointwise,
    prod,
    random,
    reduce,
    reshaping,
    scalar,
    selecting,
    slicing,
    unary,
    update,
)


def register() -> None:
    """Register every primitive operator; doing it again changes nothing."""
    for row in ROWS:
        register_operator(row, version=VERSION)
