"""Arrays in nested lists: taken out in a row, and put back.

Whatever the arrays are, NDArrays or symbols; a structure is hashable, it can be part of a key.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Any

__all__ = ["HERE", "OTHER", "flatten", "nested", "rebuilt", "unflatten"]


class _Mark(Enum):
    """Marks in a structure; they are compared by identity, which pickle keeps for an Enum."""

    HERE = "here"
    OTHER = "other"


#: In a structure: an array, and something else.
HERE = _Mark.HERE
OTHER = _Mark.OTHER


def flatten(value: Any, kind: type, found: list[Any]) -> Any:
    """Append the `kind` objects in nested lists to `found`; return how they are nested.

    What is neither a list nor of that kind, None for instance, is part of the description.
    """
    if isinstance(value, kind):
        found.append(value)
        return HERE
    if isinstance(value, list | tuple):
        return type(value), tuple(flatten(item, kind, found) for item in value)
    # The type tells 1 from True, which are equal as keys.
    return OTHER, type(value), value


def unflatten(structure: Any, values: Iterator[Any]) -> Any:
    """Undo `flatten`."""
    if structure is HERE:
        return next(values)
    kind, *content = structure
    if kind is OTHER:
        return content[1]
    return rebuilt(kind, [unflatten(item, values) for item in content[0]])


def rebuilt(kind: Any, items: list[Any]) -> Any:
    """Return a list, tuple or named tuple."""
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def nested(value: Any, kind: type, what: str) -> tuple[list[Any], Any]:
    """Return the `kind` objects in nested lists, and how they are nested, tuples as lists.

    Parameters
    ----------
    value : object
    kind : type
    what : str
        For the error: what should be so.

    Raises
    ------
    TypeError
        Something is neither a list nor of that kind.

    Examples
    --------
    >>> nested((1, [2]), int, "it")[0]
    [1, 2]
    """
    found: list[Any] = []
    return found, _listed(flatten(value, kind, found), kind, what)


def _listed(structure: Any, kind: type, what: str) -> Any:
    if structure is HERE:
        return structure
    type_, *content = structure
    if type_ is OTHER:
        raise TypeError(
            f"{what} must be {kind.__name__}s in (nested) lists, got {content[1]!r:.60} of type "
            f"{content[0].__name__}"
        )
    return list, tuple(_listed(item, kind, what) for item in content[0])
