"""Rules for operators that are a single elementwise kernel of the core, by kernel.

``elemwise_add``, ``broadcast_add`` and ``_plus_scalar`` are the same kernel: the number of a scalar
operator becomes a constant.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..exporting.call import Call
from .special import gamma, gammaln

__all__ = ["KERNELS", "with_custom_gradient"]

Rule = Callable[[Any, Call], str]


def _unary(kind: str) -> Rule:
    """Return the rule of a function that ONNX has."""
    return lambda prop, call: str(call.node(kind, call.inputs[0]))


def _factor(factor: float) -> Rule:
    return lambda prop, call: str(call.node("Mul", call.inputs[0], call.constant(factor)))


def _log_by(base: float) -> Rule:
    def rule(prop: Any, call: Call) -> str:
        return str(
            call.node("Div", call.node("Log", call.inputs[0]), call.constant(math.log(base)))
        )

    return rule


def _root(power: float) -> Rule:
    """Return the rule of an odd root, whose sign is that of the input."""

    def rule(prop: Any, call: Call) -> str:
        size = call.node("Pow", call.node("Abs", call.inputs[0]), call.constant(power))
        return str(call.node("Mul", call.node("Sign", call.inputs[0]), size))

    return rule


def _square(prop: Any, call: Call) -> str:
    return str(call.node("Mul", call.inputs[0], call.inputs[0]))


def _rsqrt(prop: Any, call: Call) -> str:
    return str(call.node("Reciprocal", call.node("Sqrt", call.inputs[0])))


def _expm1(prop: Any, call: Call) -> str:
    return str(call.node("Sub", call.node("Exp", call.inputs[0]), call.constant(1)))


def _log1p(prop: Any, call: Call) -> str:
    return str(call.node("Log", call.node("Add", call.inputs[0], call.constant(1))))


def _trunc(prop: Any, call: Call) -> str:
    size = call.node("Floor", call.node("Abs", call.inputs[0]))
    return str(call.node("Mul", call.node("Sign", call.inputs[0]), size))


def _round(prop: Any, call: Call) -> str:
    """Round halves away from zero; ONNX's Round is to even."""
    size = call.node("Add", call.node("Abs", call.inputs[0]), call.constant(0.5))
    return str(call.node("Mul", call.node("Sign", call.inputs[0]), call.node("Floor", size)))


def _rint(prop: Any, call: Call) -> str:
    """Round halves down."""
    return str(call.node("Ceil", call.node("Sub", call.inputs[0], call.constant(0.5))))


def _truth(call: Call, value: Any) -> str:
    return call.cast(value, np.bool_)


def _logical_not(prop: Any, call: Call) -> str:
    return call.cast(call.node("Not", _truth(call, call.inputs[0])), call.outputs[0].dtype)


def _test(kind: str) -> Rule:
    """Return the rule of a test of each element."""
    return lambda prop, call: call.cast(call.node(kind, call.inputs[0]), call.outputs[0].dtype)


def _is_finite(prop: Any, call: Call) -> str:
    x = call.inputs[0]
    wrong = call.node("Or", call.node("IsNaN", x), call.node("IsInf", x))
    return call.cast(call.node("Not", wrong), call.outputs[0].dtype)


def _operands(prop: Any, call: Call) -> list[Any]:
    """Return both operands of a binary kernel; the number of a scalar one is a constant."""
    if prop.elementwise_kernel[0] == "binary":
        return list(call.inputs)
    (name,) = list(prop.attributes)[:1]
    operands = [call.inputs[0], call.constant(getattr(prop, name))]
    return operands[::-1] if prop.kernel_reverse else operands


def _binary(kind: str) -> Rule:
    return lambda prop, call: str(call.node(kind, *_operands(prop, call)))


def _comparison(kind: str, negated: bool = False) -> Rule:
    def rule(prop: Any, call: Call) -> str:
        found = call.node(kind, *_operands(prop, call))
        return call.cast(call.node("Not", found) if negated else found, call.outputs[0].dtype)

    return rule


def _logical(kind: str) -> Rule:
    def rule(prop: Any, call: Call) -> str:
        found = call.node(kind, *(_truth(call, item) for item in _operands(prop, call)))
        return call.cast(found, call.outputs[0].dtype)

    return rule


def _mod(prop: Any, call: Call) -> str:
    """Return the remainder with the sign of the divisor; ONNX has that for integers only."""
    x, y = _operands(prop, call)
    is_zero = call.node("Equal", y, call.constant(0))  # then the result is 0
    divisor = call.node("Where", is_zero, call.constant(1), y)
    if call.inputs[0].dtype.kind in "iu":
        found = call.node("Mod", x, divisor)
        return str(call.node("Where", is_zero, call.constant(0), found))
    whole = call.node("Floor", call.node("Div", x, divisor))
    found = call.node("Sub", x, call.node("Mul", divisor, whole))
    return str(call.node("Where", is_zero, call.constant(0), found))


def _hypot(prop: Any, call: Call) -> str:
    x, y = _operands(prop, call)
    return str(call.node("Sqrt", call.node("Add", call.node("Mul", x, x), call.node("Mul", y, y))))


def _arctan2(prop: Any, call: Call) -> str:
    """Return the angle of points; that of a point with x = 0 is a right angle, or 0 at y = 0."""
    y, x = _operands(prop, call)
    zero = call.constant(0)
    angle = call.node("Atan", call.node("Div", y, x))
    half = call.node("Where", call.node("Less", y, zero), *map(call.constant, (-math.pi, math.pi)))
    behind = call.node("Where", call.node("Less", x, zero), call.node("Add", angle, half), angle)
    upright = call.node("Mul", call.node("Sign", y), call.constant(math.pi / 2))
    return str(call.node("Where", call.node("Equal", x, zero), upright, behind))


#: Kernel without its kind -> type of the node with the same operands.
_SAME = {
    "add": "Add",
    "divide": "Div",
    "maximum": "Max",
    "minimum": "Min",
    "multiply": "Mul",
    "power": "Pow",
    "subtract": "Sub",
}
_COMPARISONS = {
    "equal": "Equal",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "lesser": "Less",
    "lesser_equal": "LessOrEqual",
}
_LOGICAL = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}
_BINARY: dict[str, Rule] = {
    **{name: _binary(kind) for name, kind in _SAME.items()},
    **{name: _comparison(kind) for name, kind in _COMPARISONS.items()},
    **{name: _logical(kind) for name, kind in _LOGICAL.items()},
    "not_equal": _comparison("Equal", negated=True),
    "arctan2": _arctan2,
    "mod": _mod,
    "hypot": _hypot,
}
_NAMED_ALIKE = [
    "abs",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "floor",
    "identity",
    "log",
    "reciprocal",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]
_UNARY: dict[str, Rule] = {
    **{name: _unary(name.capitalize()) for name in _NAMED_ALIKE},
    **{f"arc{name}": _unary(f"A{name}") for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    "cbrt": _root(1 / 3),
    "rcbrt": _root(-1 / 3),
    "degrees": _factor(180 / math.pi),
    "radians": _factor(math.pi / 180),
    "expm1": _expm1,
    "fix": _trunc,
    "trunc": _trunc,
    "gamma": gamma,
    "gammaln": gammaln,
    "isnan": _test("IsNaN"),
    "isinf": _test("IsInf"),
    "isfinite": _is_finite,
    "log10": _log_by(10),
    "log2": _log_by(2),
    "log1p": _log1p,
    "logical_not": _logical_not,
    "negative": _unary("Neg"),
    "round": _round,
    "rint": _rint,
    "rsqrt": _rsqrt,
    "square": _square,
}
#: Kernel, as in `elementwise_kernel` of declarations -> rule.
KERNELS: dict[tuple[str, str], Rule] = {
    **{("unary", name): rule for name, rule in _UNARY.items()},
    **{(kind, name): rule for name, rule in _BINARY.items() for kind in ("binary", "scalar")},
}


def with_custom_gradient(prop: Any, call: Call) -> str:
    """Translate an operator that computes a unary kernel, and differs from it by its gradient."""
    return _UNARY[prop.kernel](prop, call)
