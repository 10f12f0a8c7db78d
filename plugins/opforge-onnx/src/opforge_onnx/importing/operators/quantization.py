"""Quantized nodes of ONNX: integers are converted to float32 and back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .elementwise import round_to_even
from .networks import convolve

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]


def _along(node: Node, index: int, rank: int, axis: int) -> Any:
    """Return a scale or zero point as float32 that is broadcast along an axis."""
    found = sym.cast(node.symbol(index), dtype="float32")
    if node.rank(index) > 1:
        node.fail(
            "it has a scale for each block", "use one scale, or one for each index of an axis"
        )
    shape = [1] * rank
    if node.rank(index) == 1 and rank > 0:
        shape[axis % rank] = -1
    return sym.reshape(found, shape=tuple(shape or [1]))


def _to_float(node: Node, first: int, scale: int, zero: int, axis: int = 1) -> Any:
    x, rank = sym.cast(node.symbol(first), dtype="float32"), node.rank(first)
    if node.has(zero):
        x = sym.broadcast_sub(x, _along(node, zero, rank, axis))
    return sym.broadcast_mul(x, _along(node, scale, rank, axis))


def _to_integer(node: Node, x: Any, rank: int, scale: int, zero: int, axis: int = 1) -> Any:
    x = round_to_even(sym.broadcast_div(x, _along(node, scale, rank, axis)))
    dtype: Any = np.dtype("uint8")
    if node.has(zero):
        x, dtype = sym.broadcast_add(x, _along(node, zero, rank, axis)), node.dtype(zero)
    limits = np.iinfo(dtype)
    return sym.cast(sym.clip(x, a_min=limits.min, a_max=limits.max), dtype=dtype.name)


def _dequantize(node: Node) -> Any:
    return _to_float(node, 0, 1, 2, node.attribute("axis", 1))


def _quantize(node: Node) -> Any:
    x = sym.cast(node.symbol(0), dtype="float32")
    return _to_integer(node, x, node.rank(0), 1, 2, node.attribute("axis", 1))


def _qlinear_matmul(node: Node) -> Any:
    a, b = _to_float(node, 0, 1, 2, -2), _to_float(node, 3, 4, 5, -1)
    rank = max(node.rank(0), node.rank(3))
    return _to_integer(node, sym.matmul(a, b), rank, 6, 7, -2)


def _qlinear_conv(node: Node) -> Any:
    x, weight = _to_float(node, 0, 1, 2), _to_float(node, 3, 4, 5, 0)
    found = convolve(node, x, weight, 3)
    if node.has(8):
        size = sym.cast(node.symbol(8), dtype="float32")
        size = sym.broadcast_mul(
            size, sym.broadcast_mul(_along(node, 1, 1, 0), _along(node, 4, 1, 0))
        )
        found = sym.broadcast_add(
            found, sym.reshape(size, shape=(1, -1, *(1,) * (node.rank(0) - 2)))
        )
    return _to_integer(node, found, node.rank(0), 6, 7)


def _shift(node: Node, first: int, zero: int, axis: int) -> Any:
    x = sym.cast(node.symbol(first), dtype="float64")
    if not node.has(zero):
        return x
    shift = sym.cast(_along(node, zero, node.rank(first), axis), dtype="float64")
    return sym.broadcast_sub(x, shift)


def _matmul_integer(node: Node) -> Any:
    product = sym.matmul(_shift(node, 0, 2, -2), _shift(node, 1, 3, -1))
    return sym.cast(product, dtype="int32")


def _conv_integer(node: Node) -> Any:
    found = convolve(node, _shift(node, 0, 2, 1), _shift(node, 1, 3, 0), 1)
    return sym.cast(found, dtype="int32")


OPERATORS: dict[str, Translate] = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
}
