"""Elementwise nodes of ONNX, with NumPy's rules of broadcasting."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node

__all__ = ["OPERATORS", "aligned", "broadcast", "round_to_even", "scalar"]

Translate = Callable[[Node], Any]


def _same(name: str) -> Translate:
    """Return the translation to an operator of one input."""
    return lambda node: getattr(sym, name)(node.symbol(0))


def aligned(node: Node, index: int, rank: int) -> Any:
    """Return an input with leading dimensions of size 1, as MXNet's operators broadcast."""
    missing = rank - node.rank(index)
    if not missing:
        return node.symbol(index)
    numbers = node.numbers(index)
    if numbers is not None:
        return node.derived(index, numbers.reshape((1,) * missing + numbers.shape), f"{rank}d")
    x = node.symbol(index)
    if not node.rank(index):  # a scalar is a vector of one element here
        return sym.reshape(x, shape=(1,) * rank)
    for _ in range(missing):
        x = sym.expand_dims(x, axis=0)
    return x


def scalar(node: Node, index: int) -> float | None:
    """Return an input that is a single number, or None."""
    numbers = node.numbers(index)
    return numbers.item() if numbers is not None and numbers.size == 1 else None


def broadcast(node: Node, name: str, first: int = 0, second: int = 1) -> Any:
    """Return a binary operator of two inputs."""
    rank = max(node.rank(first), node.rank(second))
    left, right = aligned(node, first, rank), aligned(node, second, rank)
    return getattr(sym, f"broadcast_{name}")(left, right)


def _binary(name: str, by_number: Callable[[Any, Any], Any] | None = None) -> Translate:
    """Return the translation of a binary node; a number becomes an attribute."""

    def translate(node: Node) -> Any:
        number = scalar(node, 1)
        if by_number is not None and number is not None and node.rank(1) <= node.rank(0):
            return by_number(node.symbol(0), number)
        return broadcast(node, name)

    return translate


def _logical(name: str) -> Translate:
    """Return the translation of a node of two conditions, which comparisons give as numbers."""

    def translate(node: Node) -> Any:
        rank = max(node.rank(0), node.rank(1))
        left, right = (sym.Cast(aligned(node, index, rank), dtype="bool") for index in (0, 1))
        return getattr(sym, f"broadcast_{name}")(left, right)

    return translate


def _nary(name: str) -> Translate:
    """Return the translation of a node of any number of inputs."""

    def translate(node: Node) -> Any:
        rank = max(node.rank(index) for index in range(len(node)))
        found = aligned(node, 0, rank)
        for index in range(1, len(node)):
            found = getattr(sym, f"broadcast_{name}")(found, aligned(node, index, rank))
        return found

    return translate


def _mean(node: Node) -> Any:
    return _nary("add")(node) / len(node)


def _mod(node: Node) -> Any:
    """Translate Mod: with the sign of the divisor, or with fmod that of the dividend."""
    if not node.attribute("fmod", 0):
        return broadcast(node, "mod")
    x, y = (aligned(node, index, max(node.rank(0), node.rank(1))) for index in (0, 1))
    whole = sym.trunc(sym.broadcast_div(x, y))
    return sym.broadcast_sub(x, sym.broadcast_mul(y, whole))


def _clip(node: Node) -> Any:
    x = node.symbol(0)
    bounds = ("maximum", node.attribute("min")), ("minimum", node.attribute("max"))
    for index, (name, bound) in enumerate(bounds, 1):
        if node.opset >= 11:
            if not node.has(index):
                continue
            bound = scalar(node, index)
            if bound is None:
                x = getattr(sym, f"broadcast_{name}")(x, aligned(node, index, node.rank(0)))
        if bound is not None and np.isfinite(bound):
            x = getattr(sym._internal, f"_{name}_scalar")(x, scalar=float(bound))
    return x


def _where(node: Node) -> Any:
    rank = max(node.rank(index) for index in range(3))
    condition, x, y = (aligned(node, index, rank) for index in range(3))
    zeros = [sym.zeros_like(item) for item in (x, y)]
    shape = sym.broadcast_add(*zeros)
    shape = sym.broadcast_add(shape, sym._internal._cast_like(sym.zeros_like(condition), shape))
    return sym.where(*(sym.broadcast_like(item, shape) for item in (condition, x, y)))


def round_to_even(x: Any) -> Any:
    """Return integers; halves go to even ones, which no operator of MXNet does."""
    low = sym.floor(x)
    part = x - low
    odd = sym._internal._mod_scalar(low, scalar=2)
    up = sym._internal._greater_scalar(part, scalar=0.5)
    tie = sym._internal._equal_scalar(part, scalar=0.5)
    return low + sym.broadcast_maximum(up, tie * odd)


def _cast(node: Node) -> Any:
    from onnx import helper

    return sym.cast(
        node.symbol(0), dtype=helper.tensor_dtype_to_np_dtype(node.attribute("to")).name
    )


def _cast_like(node: Node) -> Any:
    return sym._internal._cast_like(node.symbol(0), node.symbol(1))


def _is_inf(node: Node) -> Any:
    """Translate IsInf, which may test for one sign only."""
    x = node.symbol(0)
    chosen = sym.isinf(x)
    for name, operator in (
        ("detect_negative", "_greater_scalar"),
        ("detect_positive", "_lesser_scalar"),
    ):
        if not node.attribute(name, 1):
            chosen = chosen * getattr(sym._internal, operator)(x, scalar=0)
    return chosen


def _shrink(node: Node) -> Any:
    x, bias, limit = node.symbol(0), node.attribute("bias", 0.0), node.attribute("lambd", 0.5)
    return (x + bias) * (x < -limit) + (x - bias) * (x > limit)


def _swish(node: Node) -> Any:
    x = node.symbol(0)
    return x * sym.sigmoid(x * node.attribute("alpha", 1.0))


def _prelu(node: Node) -> Any:
    x, rank = node.symbol(0), node.rank(0)
    slope = aligned(node, 1, rank)
    positive = sym.relu(x)
    return positive + sym.broadcast_mul(x - positive, slope)


def _celu(node: Node) -> Any:
    alpha, x = node.attribute("alpha", 1.0), node.symbol(0)
    negative = sym._internal._minimum_scalar(sym.expm1(x / alpha) * alpha, scalar=0)
    return sym.relu(x) + negative


def _dropout(node: Node) -> Any:
    """Translate Dropout in prediction, with the mask of what is kept."""
    x = node.symbol(0)
    return [sym.identity(x), sym.cast(sym.ones_like(x), dtype="bool")][: node.outputs]


def _power(node: Node) -> Any:
    """Translate Pow, whose result has the type of the base."""
    if node.dtype(0) == node.dtype(1):
        return _binary(*_BINARY["Pow"])(node)
    x, y = (aligned(node, index, max(node.rank(0), node.rank(1))) for index in (0, 1))
    if not node.is_floating(0):
        power = sym.broadcast_power(sym.cast(x, dtype="float64"), sym.cast(y, dtype="float64"))
        return sym.cast(power, dtype=node.dtype(0).name)
    return sym.broadcast_power(x, sym._internal._cast_like(y, x))


def _bit_shift(node: Node) -> Any:
    """Translate BitShift to products with powers of two; distances beyond the width give 0."""
    bits = node.dtype(0).itemsize * 8
    powers = np.append(np.int64(1) << np.arange(min(bits, 63), dtype=np.int64), 0)
    distances = sym.clip(node.symbol(1), a_min=0, a_max=len(powers) - 1)
    factor = sym.take(node.weight(powers, "powers"), distances, mode="clip")
    x = sym.cast(node.symbol(0), dtype="int64")
    if node.attribute("direction") == "LEFT":
        return sym.cast(sym.broadcast_mul(x, factor), dtype=node.dtype(0).name)
    divisor = sym._internal._maximum_scalar(factor, scalar=1)
    rest = sym.broadcast_mod(x, divisor)
    found = sym.broadcast_div(sym.broadcast_sub(x, rest), divisor)
    beyond = sym.cast(factor < 1, dtype="int64")
    sign = sym._internal._minimum_scalar(sym.sign(x), scalar=0)
    return sym.cast(found + beyond * (sign - found), dtype=node.dtype(0).name)


def _bitwise_not(node: Node) -> Any:
    last = -1 if node.dtype(0).kind == "i" else np.iinfo(node.dtype(0)).max
    return last - node.symbol(0)


def _leaky(kind: str, default: float) -> Translate:
    def translate(node: Node) -> Any:
        slope = node.attribute("alpha", default)
        return sym.LeakyReLU(node.symbol(0), act_type=kind, slope=slope)

    return translate


def _selu(node: Node) -> Any:
    x = node.symbol(0)
    alpha = node.attribute("alpha", 1.6732631921768188)
    gamma = node.attribute("gamma", 1.0507010221481323)
    negative = sym._internal._minimum_scalar(sym.expm1(x) * alpha, scalar=0)
    return gamma * (sym.relu(x) + negative)


def _hard_sigmoid(node: Node) -> Any:
    alpha, beta = node.attribute("alpha", 0.2), node.attribute("beta", 0.5)
    return sym.clip(node.symbol(0) * alpha + beta, a_min=0, a_max=1)


def _hard_swish(node: Node) -> Any:
    x = node.symbol(0)
    return x * sym.clip(x / 6 + 0.5, a_min=0, a_max=1)


def _gelu(node: Node) -> Any:
    x = node.symbol(0)
    if node.attribute("approximate", "none") == "tanh":
        inner = (x + 0.044715 * x * x * x) * float(np.sqrt(2 / np.pi))
        return 0.5 * x * (1 + sym.tanh(inner))
    return sym.LeakyReLU(x, act_type="gelu")


def _threshold(node: Node) -> Any:
    x = node.symbol(0)
    return x * sym._internal._greater_scalar(x, scalar=node.attribute("alpha", 1.0))


def _mish(node: Node) -> Any:
    x = node.symbol(0)
    return x * sym.tanh(sym.Activation(x, act_type="softrelu"))


_SAME = {
    **{
        kind: kind.lower()
        for kind in (
            *("Abs", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "Log", "Reciprocal", "Relu"),
            *("Sigmoid", "Sign", "Sin", "Sinh", "Softsign", "Sqrt", "Tan", "Tanh", "Identity"),
        )
    },
    **{f"A{kind}": f"arc{kind}" for kind in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    "IsNaN": "isnan",
    "Neg": "negative",
    "Not": "logical_not",
}
#: Node -> end of the name of the operator, and the same with a number.
_BINARY: dict[str, tuple[str, Callable[[Any, Any], Any] | None]] = {
    "Add": ("add", lambda x, y: x + y),
    "Div": ("div", lambda x, y: x / y),
    "Equal": ("equal", None),
    "Greater": ("greater", None),
    "GreaterOrEqual": ("greater_equal", None),
    "Less": ("lesser", None),
    "LessOrEqual": ("lesser_equal", None),
    "Mul": ("mul", lambda x, y: x * y),
    "Pow": ("power", lambda x, y: x**y),
    "Sub": ("sub", lambda x, y: x - y),
}
OPERATORS: dict[str, Translate] = {
    **{kind: _same(name) for kind, name in _SAME.items()},
    **{kind: _binary(*row) for kind, row in _BINARY.items()},
    **{kind: _logical(f"logical_{kind.lower()}") for kind in ("And", "Or", "Xor")},
    "BitShift": _bit_shift,
    "BitwiseNot": _bitwise_not,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Celu": _celu,
    "Clip": _clip,
    "Dropout": _dropout,
    "Elu": _leaky("elu", 1.0),
    "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _hard_swish,
    "IsInf": _is_inf,
    "LeakyRelu": _leaky("leaky", 0.01),
    "Max": _nary("maximum"),
    "Mean": _mean,
    "Min": _nary("minimum"),
    "Mish": _mish,
    "Mod": _mod,
    "PRelu": _prelu,
    "Pow": _power,
    "Round": lambda node: round_to_even(node.symbol(0)),
    "Selu": _selu,
    "Shrink": _shrink,
    "Softplus": lambda node: sym.Activation(node.symbol(0), act_type="softrelu"),
    "Sum": _nary("add"),
    "Swish": _swish,
    "ThresholdedRelu": _threshold,
    "Where": _where,
}
