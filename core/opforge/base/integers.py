"""Integers that users pass; other numbers are rejected instead of cut."""

import operator
from collections.abc import Iterable
from typing import Any

__all__ = ["as_integer", "as_integers"]


def as_integer(value: Any, where: str) -> int:
    """Return `value` as an int.

    Parameters
    ----------
    value : object
        An integer of any type: Python's, NumPy's, or an integer array of one element.
    where : str
        Function and argument, for the error.

    Raises
    ------
    TypeError
        `value` is not an integer, as 3.9, 4.0 and "3" are not.

    Examples
    --------
    >>> import numpy as np
    >>> as_integer(np.int64(3), "repeat of arange")
    3
    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{where}: {_advice(value)}") from None


def as_integers(values: Iterable[Any], where: str) -> tuple[int, ...]:
    """Return `values` as a tuple of int; see `as_integer`."""
    return tuple([as_integer(value, where) for value in values])


def _advice(value: Any) -> str:
    remedy = "; divide integers by // instead of /" if isinstance(value, float) else ""
    got = f"{value!r} of type {type(value).__name__}"
    return f"{got} is not an integer, which is expected here{remedy}"
