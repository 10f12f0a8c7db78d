"""`npx.reshape`, whose codes -2 to -6 refer to axes of the input."""

from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, NamedTuple

from ..symbols.namespace import namespace_of

__all__ = ["reshape"]

#: Code -> codes of the operator `reshape`, number of input axes that it consumes.
_CODES = {
    -1: ((-1,), 1),
    -2: ((0,), 1),
    -3: ((), 1),
    -4: ((-2,), 0),
    -5: ((-3,), 2),
    -6: ((-4,), 1),
}
_DROP, _REST, _SPLIT = -3, -4, -6


def reshape(a: Any, newshape: int | Sequence[int], reverse: bool = False, order: str = "C") -> Any:
    """Return the elements of `a` in another shape, with codes for axes of `a`.

    Parameters
    ----------
    a : ndarray or Symbol
    newshape : int or sequence of int
        -1: a length that is inferred; -2: the length of the axis at this position; -3: no axis for
        one of length 1; -4: all remaining axes; -5: the product of two axes; -6, followed by two
        lengths: an axis split into these two, one of which may be -1.
    reverse : bool, default False
        Match the codes with the axes of `a` from the last one.
    order : {'C'}

    Examples
    --------
    >>> from opforge import np, npx
    >>> npx.reshape(np.ones((2, 3, 8)), (-2, -2, -6, 2, -1)).shape
    (2, 3, 2, 4)
    >>> npx.reshape(np.ones((2, 1, 3, 4)), (-2, -3, -5)).shape
    (2, 12)
    """
    if order != "C":
        raise ValueError(f"npx.reshape: order is {order!r}; only 'C' is supported")
    wanted = [newshape] if isinstance(newshape, int) else [*map(index, newshape)]
    F = namespace_of(a)
    # Codes are matched from the last one, so the lengths of a split axis precede its code.
    groups = list(_groups(wanted[::-1] if reverse else wanted))
    dropped = _axes_to_drop(groups)
    if dropped:
        a = F.squeeze(a, axis=tuple(~axis for axis in dropped) if reverse else dropped)
    codes = tuple(code for group in groups for code in group.codes)
    return F.reshape(a, shape=codes[::-1] if reverse else codes, reverse=reverse)


class _Group(NamedTuple):
    """A code of `npx.reshape` as codes of the operator `reshape`."""

    wanted: int
    codes: Sequence[int]
    consumed: int


def _groups(wanted: Sequence[int]) -> Iterator[_Group]:
    lengths = iter(wanted)
    for length in lengths:
        if length > 0:
            yield _Group(length, [length], 1)
        elif length in _CODES:
            code, consumed = _CODES[length]
            parts = [next(lengths, 0), next(lengths, 0)] if length == _SPLIT else []
            yield _Group(length, [*code, *parts], consumed)
        else:
            raise ValueError(
                f"npx.reshape: {length} in newshape {tuple(wanted)} is not a positive length and "
                "not one of the codes -1 to -6"
            )


def _axes_to_drop(groups: Sequence[_Group]) -> tuple[int, ...]:
    """Return the axes of code -3, counted from the end where matching begins."""
    axes: list[int] = []
    position = 0
    for at, group in enumerate(groups):
        if group.wanted == _DROP:
            if any(before.wanted == _REST for before in groups[:at]):
                raise ValueError("npx.reshape: -3 has no axis left after -4")
            axes.append(position)
        position += group.consumed
    return tuple(axes)
