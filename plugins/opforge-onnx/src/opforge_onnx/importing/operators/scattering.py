"""ScatterElements and ScatterND: rows of an array that are replaced, or combined with others."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .shapes import not_negative

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]
#: Largest number of comparisons of a row with an update.
_MOST = 2**24


def _scatter_elements(node: Node) -> Any:
    shape, rank = node.sizes(0), node.rank(0)
    axis = node.attribute("axis", 0) % rank
    given = node.sizes(1)
    strides = [prod(shape[at + 1 :]) for at in range(rank)]
    grids = np.indices(given)
    offset = sum(grids[at] * strides[at] for at in range(rank) if at != axis)
    indices = not_negative(node, 1, axis) * strides[axis]
    flat = sym.broadcast_add(indices, node.weight(np.asarray(offset + grids[0] * 0), "offsets"))
    return _combine(
        node,
        sym.reshape(node.symbol(0), shape=(-1, 1)),
        sym.reshape(flat, shape=(-1,)),
        sym.reshape(node.symbol(2), shape=(-1, 1)),
        prod(shape),
        prod(given),
    )


def _scatter_nd(node: Node) -> Any:
    shape, given = node.sizes(0), node.sizes(1)
    depth = given[-1]
    rows, updates = prod(shape[:depth]), prod(given[:-1])
    flat: Any = 0
    for at in range(depth):
        part = sym.slice_axis(node.symbol(1), axis=-1, begin=at, end=at + 1)
        part = sym.reshape(part, shape=(-1,))
        part = part + (part < 0) * shape[at]
        flat = part * prod(shape[at + 1 : depth]) + flat
    width = prod(shape[depth:])
    return _combine(
        node,
        sym.reshape(node.symbol(0), shape=(-1, width)),
        flat,
        sym.reshape(node.symbol(2), shape=(-1, width)),
        rows,
        updates,
    )


def _combine(node: Node, data: Any, flat: Any, updates: Any, rows: int, count: int) -> Any:
    """Return the data with rows combined with updates, in its own shape."""
    reduction = node.attribute("reduction", "none")
    if reduction == "none":
        found = sym.contrib.index_copy(data, flat, updates)
        return sym.reshape(found, shape=node.sizes(0))
    node.require(
        rows * count <= _MOST,
        f"reduction {reduction!r} of {count} updates of {rows} rows",
        "scatter fewer elements, or without a reduction",
    )
    chosen = sym.expand_dims(sym.transpose(sym.one_hot(flat, depth=rows)), axis=2)
    chosen = sym.broadcast_mul(chosen, sym.ones_like(sym.expand_dims(updates, axis=0)))
    wide = sym.broadcast_mul(sym.ones_like(chosen), sym.expand_dims(updates, axis=0))
    neutral, reduce, operator = _REDUCTIONS[reduction]
    rest = sym.where(chosen, wide, sym.ones_like(wide) * neutral)
    found = getattr(sym, operator)(data, getattr(sym, reduce)(rest, axis=1))
    return sym.reshape(found, shape=node.sizes(0))


#: Reduction -> value without effect, operator over the updates, operator with the data.
_REDUCTIONS = {
    "add": (0.0, "sum", "broadcast_add"),
    "mul": (1.0, "prod", "broadcast_mul"),
    "max": (-float("inf"), "max", "broadcast_maximum"),
    "min": (float("inf"), "min", "broadcast_minimum"),
}
OPERATORS: dict[str, Translate] = {
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
}
