"""Pooling of ONNX: by `Pooling`, or, where it has no equivalent, over the elements of each window.

These are dilations, indices as a second output, integers, powers other than 2, different padding
on both sides, and the sizes of ceil_mode that leave out windows which start in the padding.
"""

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .shapes import pad
from .windows import spatial

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]


class _Windows(NamedTuple):
    """Windows along each axis of the images."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    before: list[int]
    #: Padding behind each axis as the node declares it.
    declared: list[int]
    #: Sizes of the images if the result depends on them, otherwise None.
    sizes: tuple[int, ...] | None
    #: Number of windows along each axis, and the padding behind it that the last one reaches.
    counts: list[int]
    after: list[int]


def _windows(node: Node, kernel: list[int]) -> _Windows:
    strides, dilations, before, declared = spatial(node, kernel)
    up = node.attribute("ceil_mode", 0)
    if not up and node.outputs == 1:
        return _Windows(kernel, strides, dilations, before, declared, None, [], declared)
    sizes = node.sizes(0)[2:]
    counts, after = [], []
    for size, extent, stride, dilation, first, last in zip(
        sizes, kernel, strides, dilations, before, declared, strict=True
    ):
        reach = (extent - 1) * dilation + 1
        rest = size + first + last - reach
        count = (-(-rest // stride) if up else rest // stride) + 1
        if up and (count - 1) * stride >= size + first:
            count -= 1
        counts.append(count)
        after.append(max(0, (count - 1) * stride + reach - first - size))
    return _Windows(kernel, strides, dilations, before, declared, sizes, counts, after)


def _pool(kind: str) -> Translate:
    def translate(node: Node) -> Any:
        kernel = list(node.attribute("kernel_shape"))
        strides, dilations, before, after = spatial(node, kernel)
        counts = bool(node.attribute("count_include_pad", 0))
        if (
            set(dilations) != {1}
            or (before != after and kind != "max")
            or node.outputs > 1
            or node.attribute("ceil_mode", 0)
            or (kind == "lp" and node.attribute("p", 2) != 2)
            or not node.is_floating(0)
        ):
            node.limit(prod(kernel), 1024, "elements in a window")
            return _FOLDS[kind](node, _windows(node, kernel))
        x = node.symbol(0)
        if before != after:
            x = pad(node, x, [0, 0, *before], [0, 0, *after], value=-float("inf"))
            before = [0] * len(kernel)
        return sym.Pooling(
            x,
            kernel=tuple(kernel),
            stride=tuple(strides),
            pad=tuple(before),
            pool_type=kind,
            count_include_pad=counts,
            p_value=2 if kind == "lp" else None,
            name=node.name,
        )

    return translate


def _elements(node: Node, x: Any, windows: _Windows, value: float) -> list[Any]:
    """Return, for each position in a window, the elements of all windows there."""
    if windows.sizes is not None:  # an error for images of other sizes
        x = sym.reshape(x, shape=(0, 0, *windows.sizes))
    padded = pad(node, x, [0, 0, *windows.before], [0, 0, *windows.after], value=value)
    found = []
    for offsets in product(*(range(extent) for extent in windows.kernel)):
        begin = [at * step for at, step in zip(offsets, windows.dilations, strict=True)]
        # The elements of the last window that fits.
        end = [
            (at - extent + 1) * step or None
            for at, extent, step in zip(offsets, windows.kernel, windows.dilations, strict=True)
        ]
        found.append(
            sym.slice(
                padded,
                begin=(None, None, *begin),
                end=(None, None, *end),
                step=(None, None, *windows.strides),
            )
        )
    return found


def _max(node: Node, windows: _Windows) -> Any:
    x = node.symbol(0)
    floating = node.is_floating(0)
    if not floating:  # exact: the operators for integers are those of floating-point numbers
        x = sym.cast(x, dtype="float64")
    lowest = -float("inf") if floating else float(np.iinfo(node.dtype(0)).min)
    elements = _elements(node, x, windows, lowest)
    highest = elements[0]
    for element in elements[1:]:
        highest = sym.broadcast_maximum(highest, element)
    result = highest if floating else sym.cast(highest, dtype=node.dtype(0).name)
    return [result, _indices(node, windows, elements)] if node.outputs > 1 else result


def _indices(node: Node, windows: _Windows, elements: list[Any]) -> Any:
    """Return the index of each maximum in the whole flattened array."""
    chosen = sym.argmax(sym.stack(*elements, axis=0), axis=0)
    batch, channels, *sizes = node.sizes(0)
    column = node.attribute("storage_order", 0)
    strides = [prod(sizes[:at]) if column else prod(sizes[at + 1 :]) for at in range(len(sizes))]
    starts = np.zeros(windows.counts, np.int64)
    for at, grid in enumerate(np.indices(windows.counts)):
        starts += (grid * windows.strides[at] - windows.before[at]) * strides[at]
    images = np.arange(batch * channels).reshape(batch, channels, *(1,) * len(strides))
    starts = images * prod(sizes) + starts
    steps = [
        sum(a * b * c for a, b, c in zip(offsets, windows.dilations, strides, strict=True))
        for offsets in product(*(range(extent) for extent in windows.kernel))
    ]
    moved = sym.take(node.weight(np.array(steps, np.int64), "steps"), chosen, mode="clip")
    return sym.broadcast_add(moved, node.weight(starts, "starts"))


def _mean(node: Node, windows: _Windows) -> Any:
    x = node.symbol(0)
    total = sym.add_n(*_elements(node, x, windows, 0.0))
    if not node.attribute("count_include_pad", 0):
        return total / sym.add_n(*_elements(node, sym.ones_like(x), windows, 0.0))
    if windows.sizes is None:
        return total / prod(windows.kernel)
    # The padding that the node declares counts, what ceil_mode adds behind it does not.
    number: Any = 1.0
    for at, count in enumerate(windows.counts):
        row = np.zeros(count)
        first = np.arange(count) * windows.strides[at] - windows.before[at]
        for step in range(windows.kernel[at]):
            index = first + step * windows.dilations[at]
            row += index < windows.sizes[at] + windows.declared[at]
        number = number * row.reshape([-1 if i == at else 1 for i in range(len(windows.counts))])
    weight = node.weight(number[np.newaxis, np.newaxis].astype(np.float32), "counts")
    return sym.broadcast_div(total, sym._internal._cast_like(weight, total))


def _norm(node: Node, windows: _Windows) -> Any:
    power = node.attribute("p", 2)
    elements = _elements(node, node.symbol(0), windows, 0.0)
    total = sym.add_n(*(sym.abs(element) ** power for element in elements))
    return total ** (1.0 / power)


def _global_pool(kind: str) -> Translate:
    def translate(node: Node) -> Any:
        rank = node.rank(0) - 2
        if kind == "lp":
            power = node.attribute("p", 2)
            total = sym.sum(
                sym.abs(node.symbol(0)) ** power, axis=tuple(range(2, rank + 2)), keepdims=True
            )
            return total ** (1.0 / power)
        return sym.Pooling(node.symbol(0), kernel=(1,) * rank, global_pool=True, pool_type=kind)

    return translate


_FOLDS: dict[str, Callable[[Node, _Windows], Any]] = {"avg": _mean, "lp": _norm, "max": _max}
OPERATORS: dict[str, Translate] = {
    "AveragePool": _pool("avg"),
    "GlobalAveragePool": _global_pool("avg"),
    "GlobalLpPool": _global_pool("lp"),
    "GlobalMaxPool": _global_pool("max"),
    "LpPool": _pool("lp"),
    "MaxPool": _pool("max"),
}
