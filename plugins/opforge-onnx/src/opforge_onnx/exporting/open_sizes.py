"""Sources of the sizes that change with the inputs of the graph."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

from .value import Value

__all__ = ["Source", "find_source"]


class Source(NamedTuple):
    """Sizes of axes whose product, times `factor` and divided by `divisor`, is a size."""

    value: Value
    axes: tuple[int, ...]
    factor: int = 1
    divisor: int = 1


def find_source(sizes: tuple[int, int], values: Sequence[Value], whole: bool) -> Source | None:
    """Return where to read a size that may change, or None if no source is found.

    Parameters
    ----------
    sizes : tuple of int
        As exported, and for larger inputs.
    values : sequence of Value
    whole : bool
        Whether only the size of a single axis counts.

    Examples
    --------
    >>> import numpy as np
    >>> x = Value("x", (1, 8, 6), np.dtype("float32"), (2, 24, 6))
    >>> find_source((8, 24), [x], whole=True).axes
    (1,)
    >>> find_source((4, 12), [x], whole=False)[1:]
    ((1,), 1, 2)
    """
    found = list(_exact_sources(sizes, values))
    if not found and not whole:
        found = list(_multiples(sizes, values))
    return found[0] if found else None


def _exact_sources(sizes: tuple[int, int], values: Iterable[Value]) -> Iterator[Source]:
    for value in values:
        for axis in value.open_axes:
            if value.sizes(axis) == sizes:
                yield Source(value, (axis,))


def _multiples(sizes: tuple[int, int], values: Sequence[Value]) -> Iterator[Source]:
    """Yield products and multiples, those of single axes first."""
    for count in (1, 2, 3):
        for value in values:
            for axes in combinations(value.open_axes, count):
                size, larger = (prod(part) for part in zip(*map(value.sizes, axes), strict=True))
                if sizes[0] * larger != sizes[1] * size:
                    continue
                if sizes[0] % size == 0:
                    yield Source(value, axes, factor=sizes[0] // size)
                elif size % sizes[0] == 0:
                    yield Source(value, axes, divisor=size // sizes[0])
