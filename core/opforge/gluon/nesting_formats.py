"""Nesting of the inputs and outputs of blocks as in MXNet, whose programs store it in files.

An array is 0, None is -1, and a list is the list of its items' formats.
"""

from typing import Any

from ..base.nesting import HERE, OTHER

__all__ = ["count_arrays", "format_of", "structure_of"]

#: The structure of None, as `flatten` returns it.
_NONE = OTHER, type(None), None


def format_of(structure: Any) -> Any:
    """Return the format of a structure of `flatten`; other objects than arrays count as None.

    Examples
    --------
    >>> from opforge.base.nesting import flatten
    >>> format_of(flatten(("x", ["y", None]), str, []))
    [0, [0, -1]]
    """
    if structure == HERE:
        return 0
    kind, *content = structure
    return -1 if kind == OTHER else [format_of(item) for item in content[0]]


def structure_of(form: Any) -> Any:
    """Return the structure of a format.

    Raises
    ------
    ValueError
        It has other items than 0, -1 and lists.
    """
    if isinstance(form, list | tuple):
        return list, tuple(map(structure_of, form))
    if form not in (0, -1):
        raise ValueError(f"{form!r:.60} describes no nesting; expected 0, -1 or a list of them")
    return HERE if form == 0 else _NONE


def count_arrays(form: Any) -> int:
    """Return the number of arrays of a format."""
    return sum(map(count_arrays, form)) if isinstance(form, list | tuple) else int(form == 0)
