"""Flattening and unflattening of nested lists of arrays or symbols.

A structure is hashable, so that it can be part of a key.
"""

from collections.abc import Iterator
from typing import Any

__all__ = ["HERE", "OTHER", "flatten", "nested", "rebuilt", "unflatten"]

#: Markers in a structure: an array, any other object. Compared by value, as structures are pickled.
HERE = "here"
OTHER = "other"


def flatten(value: Any, kind: type | tuple[type, ...], found: list[Any]) -> Any:
    """Append the `kind` objects in nested lists to `found`; return the structure.

    Other objects, such as None, are part of the structure.
    """
    if isinstance(value, (list, tuple)):  # faster than a union, which is made at each call
        parts = []
        for item in value:
            if isinstance(item, kind):  # saves a call for each item
                found.append(item)
                parts.append(HERE)
            else:
                parts.append(flatten(item, kind, found))
        return type(value), tuple(parts)
    if isinstance(value, kind):
        found.append(value)
        return HERE
    # The type distinguishes 1 from True, which are equal as keys.
    return OTHER, type(value), value


def unflatten(structure: Any, values: Iterator[Any]) -> Any:
    """Rebuild nested lists from a structure of `flatten`."""
    if structure == HERE:
        return next(values)
    kind, *content = structure
    if kind == OTHER:
        return content[1]
    return rebuilt(kind, [unflatten(item, values) for item in content[0]])


def rebuilt(kind: Any, items: list[Any]) -> Any:
    """Return a list, tuple or named tuple of `items`."""
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def nested(value: Any, kind: type, what: str) -> tuple[list[Any], Any]:
    """Return the `kind` objects in nested lists and their structure, with tuples as lists.

    Parameters
    ----------
    value : object
    kind : type
    what : str
        Subject of the error message.

    Raises
    ------
    TypeError
        An item is neither a list nor of that kind.

    Examples
    --------
    >>> nested((1, [2]), int, "it")[0]
    [1, 2]
    """
    found: list[Any] = []
    return found, _flatten_list(flatten(value, kind, found), kind, what)


def _flatten_list(structure: Any, kind: type, what: str) -> Any:
    if structure == HERE:
        return structure
    type_, *content = structure
    if type_ == OTHER:
        raise TypeError(
            f"{what} must be {kind.__name__}s in (nested) lists, got {content[1]!r:.60} of type "
            f"{content[0].__name__}"
        )
    return list, tuple(_flatten_list(item, kind, what) for item in content[0])
