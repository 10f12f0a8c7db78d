"""Reductions of ONNX."""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import sym

from ..node import Node

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]
#: Since this opset axes are an input; before, an attribute.
_AXES_ARE_INPUT = 18


def _axes(node: Node) -> list[int] | None:
    """Return the axes, an empty list for all, or None for none."""
    first = 13 if node.kind == "ReduceSum" else _AXES_ARE_INPUT
    found = node.attribute("axes")
    if node.opset >= first and node.has(1):
        found = node.integers(1, "axes")
    if found is None or len(found) == 0:
        return None if node.attribute("noop_with_empty_axes", 0) else []
    rank = node.rank(0)
    return [axis % rank for axis in found]


def _reduce(node: Node, name: str, data: Any) -> Any:
    axes, keepdims = _axes(node), bool(node.attribute("keepdims", 1))
    if axes is None:
        return data
    if not axes:
        axes = list(range(node.rank(0)))
    if len(axes) == 0:
        return data
    return getattr(sym, name)(data, axis=tuple(axes), keepdims=keepdims)


def _reduction(name: str) -> Translate:
    return lambda node: _reduce(node, name, node.symbol(0))


def _absolute_sum(node: Node) -> Any:
    return _reduce(node, "sum", sym.abs(node.symbol(0)))


def _sum_of_squares(node: Node) -> Any:
    return _reduce(node, "sum", sym.square(node.symbol(0)))


def _norm(node: Node) -> Any:
    return sym.sqrt(_sum_of_squares(node))


def _log_sum(node: Node) -> Any:
    return sym.log(_reduce(node, "sum", node.symbol(0)))


def _log_sum_exp(node: Node) -> Any:
    """Translate ReduceLogSumExp without overflow."""
    x, axes = node.symbol(0), _axes(node)
    if axes is None:
        return x
    chosen = tuple(axes or range(node.rank(0)))
    highest = sym.max(x, axis=chosen, keepdims=True)
    shifted = sym.exp(sym.broadcast_sub(x, highest))
    found = sym.broadcast_add(sym.log(sym.sum(shifted, axis=chosen, keepdims=True)), highest)
    return found if node.attribute("keepdims", 1) else sym.squeeze(found, axis=chosen)


def _index(name: str) -> Translate:
    def translate(node: Node) -> Any:
        axis, keepdims = node.attribute("axis", 0), bool(node.attribute("keepdims", 1))
        x, last = node.symbol(0), node.attribute("select_last_index", 0)
        found = getattr(sym, name)(
            sym.reverse(x, axis=axis % node.rank(0)) if last else x, axis=axis, keepdims=keepdims
        )
        if last:
            found = node.sizes(0)[axis] - 1 - found
        return sym.cast(found, dtype="int64")

    return translate


OPERATORS: dict[str, Translate] = {
    "ArgMax": _index("argmax"),
    "ArgMin": _index("argmin"),
    "ReduceL1": _absolute_sum,
    "ReduceL2": _norm,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": _reduction("max"),
    "ReduceMean": _reduction("mean"),
    "ReduceMin": _reduction("min"),
    "ReduceProd": _reduction("prod"),
    "ReduceSum": _reduction("sum"),
    "ReduceSumSquare": _sum_of_squares,
}
