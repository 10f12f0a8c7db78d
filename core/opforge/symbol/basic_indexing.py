"""`selected`: ints, slices, None and ``...`` as indices of a symbol that stands for an array."""

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from ..base.errors import NotImplementedForSymbol
from ..base.numpy_semantics import is_np_shape
from ._namespace import operators

__all__ = ["selected"]


def selected(symbol: Any, key: Any) -> Any:
    """Return the elements of a symbol at an index, with the shape that an array's would have.

    Parameters
    ----------
    symbol : Symbol
        If its number of axes is unknown, as outside of a trace, None and ``...`` are rejected.
    key : int, slice, None, Ellipsis, or tuple of these

    Raises
    ------
    IndexError
        There are more indices than axes, or an int is out of bounds.
    NotImplementedForSymbol
        An index is something else.
    UnknownShapeError
        The number of axes is unknown, but needed.
    ValueError
        A step is 0.
    """
    sym = operators()
    items: Sequence[Any] = key if isinstance(key, tuple) else (key,)
    is_ranked = bool(symbol.type.shape) or symbol.type.known
    if is_ranked or any(item is None or item is Ellipsis for item in items):
        items = _complete(items, symbol.ndim)
    indices = [item for item in items if item is not None]
    sizes = symbol.type.shape or (0,) * len(indices)
    bounds = [
        _bounds(item, axis, size)
        for axis, (item, size) in enumerate(zip(indices, sizes, strict=True))
    ]
    result = symbol
    if any(bound is not None for group in bounds for bound in group):
        begin, end, step = zip(*bounds, strict=True)
        result = sym.slice(symbol, begin=begin, end=end, step=step)
    dropped = tuple(at for at, item in enumerate(indices) if not isinstance(item, slice))
    kept = [item for item in items if item is None or isinstance(item, slice)]
    if (
        is_ranked and dropped and len(dropped) == len(indices)
    ):  # one element; its shape is (1,) for NDArray
        return sym.reshape(result, shape=(1,) * (len(kept) or not is_np_shape()))
    if dropped:
        result = sym.squeeze(result, axis=dropped)
    for at, item in enumerate(kept):
        if item is None:
            result = sym.expand_dims(result, axis=at)
    return sym.identity(result) if result is symbol else result


def _complete(items: Sequence[Any], ndim: int) -> list[Any]:
    """Return one int or slice for each axis, and a None for each new one."""
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
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
        else:
            yield item


def _bounds(item: Any, axis: int, size: int) -> tuple[Any, Any, Any]:
    """Return begin, end and step of an int or a slice along an axis; size 0 is unknown."""
    if isinstance(item, slice):
        begin, end, step = (
            None if x is None else _index(x) for x in (item.start, item.stop, item.step)
        )
        if step == 0:
            raise ValueError("slice step cannot be zero")
        return begin, end, step
    index = _index(item)
    if size and not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index, index + 1 if index != -1 else None, None


def _index(item: Any) -> int:
    try:
        return operator.index(item)
    except TypeError:
        raise NotImplementedForSymbol(
            f"a symbol takes ints, slices, None and ... as indices, got {item!r:.60}. In a block "
            "that runs as a graph, select with F.take(x, indices), F.pick, F.gather_nd, or, by a "
            "mask, with F.contrib.boolean_mask(x, mask) or F.where"
        ) from None
