"""GridSample: values of an image or a volume at computed positions."""

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .elementwise import round_to_even

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]
#: Coefficient of Keys's cubic convolution in GridSample.
_CUBIC = -0.75


def _grid_sample(node: Node) -> Any:
    sizes = node.sizes(0)[2:]
    node.limit(len(sizes), 3, "axes of an image")
    rank, points = len(sizes), node.sizes(1)[1:-1]
    corners = bool(node.attribute("align_corners", 0))
    grid = node.symbol(1)
    positions = []
    for at, size in enumerate(sizes):
        part = sym.slice_axis(grid, axis=-1, begin=rank - 1 - at, end=rank - at)
        part = sym.reshape(part, shape=(0, -1))
        part = (part + 1) * ((size - 1) / 2) if corners else ((part + 1) * size - 1) / 2
        positions.append(part)
    mode = node.attribute("mode", "linear").removeprefix("bi")  # before opset 20
    if mode != "cubic":
        positions = [_inside(node, x, size) for x, size in zip(positions, sizes, strict=True)]
    found = None
    for taps in product(*(_taps(x, mode) for x in positions)):
        indices, weights = zip(*taps, strict=True)
        value = _gather(node, list(indices), sizes)
        for weight in weights:
            if weight is not None:
                value = sym.broadcast_mul(value, sym.expand_dims(weight, axis=1))
        found = value if found is None else found + value
    return sym.reshape(found, shape=(0, 0, *points))


def _taps(x: Any, mode: str) -> list[tuple[Any, Any]]:
    """Return the indices that are read along an axis, and their weights."""
    if mode == "nearest":
        return [(round_to_even(x), None)]
    low = sym.floor(x)
    part = x - low
    if mode == "linear":
        return [(low, 1 - part), (low + 1, part)]
    return [(low + step, _cubic(sym.abs(part - step), step in (0, 1))) for step in (-1, 0, 1, 2)]


def _cubic(distance: Any, near: bool) -> Any:
    if near:
        return ((_CUBIC + 2) * distance - (_CUBIC + 3)) * distance * distance + 1
    return ((_CUBIC * distance - 5 * _CUBIC) * distance + 8 * _CUBIC) * distance - 4 * _CUBIC


def _inside(node: Node, x: Any, size: int) -> Any:
    """Return positions or indices that padding moves into the image."""
    padding = node.attribute("padding_mode", "zeros")
    if padding == "border":
        return sym.clip(x, a_min=0, a_max=size - 1)
    if padding == "reflection":
        corners = node.attribute("align_corners", 0)
        low, span = (0.0, float(size - 1)) if corners else (-0.5, float(size))
        if not span:
            return sym.zeros_like(x)
        shifted = sym._internal._mod_scalar(x - low, scalar=2 * span)
        folded = span - sym.abs(shifted - span) + low
        return sym.clip(folded, a_min=0, a_max=size - 1)
    return x


def _gather(node: Node, indices: list[Any], sizes: tuple[int, ...]) -> Any:
    """Return the values (n, c, points) at integer positions; outside they are 0."""
    batch, channels = node.sizes(0)[:2]
    present, flat = None, None
    for at, (index, size) in enumerate(zip(indices, sizes, strict=True)):
        index = _inside(node, index, size)
        within = (index >= 0) * (index <= size - 1)
        present = within if present is None else present * within
        step = sym.clip(index, a_min=0, a_max=size - 1) * prod(sizes[at + 1 :])
        flat = step if flat is None else flat + step
    offsets = np.arange(batch * channels, dtype=np.float64).reshape(batch, channels, 1) * prod(
        sizes
    )
    where = sym.broadcast_add(
        sym.cast(sym.expand_dims(flat, axis=1), dtype="float64"), node.weight(offsets, "offsets")
    )
    values = sym.take(sym.reshape(node.symbol(0), shape=(-1,)), where, axis=0, mode="clip")
    present = sym._internal._cast_like(sym.expand_dims(present, axis=1), values)
    return sym.broadcast_mul(values, present)


OPERATORS: dict[str, Translate] = {"GridSample": _grid_sample}
