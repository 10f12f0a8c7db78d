"""`selected`: ints, slices, None and ``...`` as indices of a symbol, as of ``mx.np``'s arrays."""

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from ._namespace import operators

__all__ = ["selected"]


def selected(symbol: Any, key: Any) -> Any:
    """Return the elements of a symbol at an index.

    Parameters
    ----------
    symbol : Symbol
        Its number of axes is known, as while a block is traced.
    key : int, slice, None, Ellipsis, or tuple of these

    Raises
    ------
    IndexError
        There are more indices than axes.
    TypeError
        An index is something else.
    """
    sym = operators()
    items = _complete(key if isinstance(key, tuple) else (key,), symbol.ndim)
    indices = [item for item in items if item is not None]
    bounds = [*zip(*map(_bounds, indices), strict=True)]
    result = symbol
    if any(bound is not None for group in bounds for bound in group):
        begin, end, step = bounds
        result = sym.slice(symbol, begin=begin, end=end, step=step)
    dropped = tuple(at for at, item in enumerate(indices) if not isinstance(item, slice))
    if dropped:
        only = len(dropped) == len(indices)
        result = sym.reshape(result, shape=()) if only else sym.squeeze(result, axis=dropped)
    kept = [item for item in items if item is None or isinstance(item, slice)]
    for at, item in enumerate(kept):
        if item is None:
            result = sym.expand_dims(result, axis=at)
    return sym.identity(result) if result is symbol else result


def _complete(items: Sequence[Any], ndim: int) -> list[Any]:
    """Return one int or slice for each axis, and a None for each new one."""
    count = sum(item is not None and item is not Ellipsis for item in items)
    if count > ndim:
        raise IndexError(f"too many indices: the symbol has {ndim} axes, but {count} were indexed")
    if not any(item is Ellipsis for item in items):
        items = (*items, Ellipsis)
    return list(_expand_ellipsis(items, ndim - count))


def _expand_ellipsis(items: Sequence[Any], missing: int) -> Iterator[Any]:
    for item in items:
        if item is Ellipsis:
            yield from [slice(None)] * missing
            missing = 0
        else:
            yield item


def _bounds(item: Any) -> tuple[Any, Any, Any]:
    """Return begin, end and step of an int or a slice."""
    if isinstance(item, slice):
        return item.start, item.stop, item.step
    try:
        index = operator.index(item)
    except TypeError:
        raise TypeError(
            f"a symbol takes ints, slices, None and ... as indices, got {item!r}"
        ) from None
    return index, index + 1 if index != -1 else None, None
