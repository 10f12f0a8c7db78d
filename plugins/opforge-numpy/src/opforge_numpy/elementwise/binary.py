"""Functions of two arrays: rows of a table, from the name to opforge's operators."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, F, array_classes

from ..promotion import is_bool, is_integer
from .binary_rows import binary_row
from .operands import as_bool, filled, is_array, on_host
from .unary import round_to_even, sign_bit

__all__ = [
    "add",
    "arctan2",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "copysign",
    "divide",
    "equal",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "greater",
    "greater_equal",
    "hypot",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "not_equal",
    "power",
    "remainder",
    "right_shift",
    "subtract",
    "true_divide",
]

NDArray = array_classes.NDArray


def _arithmetic(name: str, on_bool: str | None = None) -> Callable[[Any, Any, Any], Any]:
    """Return the function `name` of arrays; two bool arrays become `on_bool`, or are rejected."""

    def compute(f: Any, a: Any, b: Any) -> Any:
        if all(is_array(x) and is_bool(x) for x in (a, b)):
            if on_bool is None:
                raise DTypeError(f"np.{name} does not support bool arrays; use np.logical_xor")
            if on_bool != "bool":
                a, b = (f.cast(x, dtype=on_bool) for x in (a, b))
        return getattr(f, name)(a, b)

    return compute


def _floor_divided(f: Any, a: Any, b: Any) -> Any:
    if not _any_float(a, b):
        return on_host("floor_divide", a, b)
    rest = f.modulo(a, b)
    quotient = round_to_even(f, f.divide(f.subtract(a, rest), b))
    # The rest of a division by infinity is infinite if the signs differ; the quotient is then -1.
    return f.where(f.isinf(rest), filled(f, quotient, -1.0), quotient)


_modulo = _arithmetic("modulo", "int8")


def _remainder(f: Any, a: Any, b: Any) -> Any:
    """Return the remainder; that of a division of a float by 0 is nan, for the operator it is 0."""
    rest = _modulo(f, a, b)
    if not _any_float(a, b):
        return rest
    if not is_array(b):
        return rest if b else rest + np.nan
    is_zero = b == 0
    if f is F and not np.asarray(is_zero).any():
        return rest
    undefined = f.divide(b, b)  # nan for 0 if the type, unknown in a graph, has it
    return f.where(*(_broadcast_like(f, x, rest) for x in (is_zero, undefined)), rest)


def _any_float(*operands: Any) -> bool:
    """Return whether any array may have floating-point numbers."""
    return not all(is_integer(x) for x in operands if is_array(x))


def _bitwise(name: str, logical: str) -> Callable[[Any, Any, Any], Any]:
    def compute(f: Any, a: Any, b: Any) -> Any:
        if all(not is_array(x) or is_bool(x) for x in (a, b)):
            return as_bool(f, getattr(f, logical)(a, b))
        return on_host(name, a, b)

    return compute


def _host(name: str) -> Callable[[Any, Any, Any], Any]:
    return lambda f, a, b: on_host(name, a, b)


def _arctan2(f: Any, a: Any, b: Any) -> Any:
    return f.broadcast_arctan2(*_both_arrays(f, a, b))


def _both_arrays(f: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return two operands as arrays; a number gets the shape and the type of the array."""
    if not is_array(a):
        a = f.zeros_like(b) + a
    if not is_array(b):
        b = f.zeros_like(a) + b
    return a, b


def _copysign(f: Any, a: Any, b: Any) -> Any:
    if not is_array(b):
        return f.abs(a) * float(np.copysign(1.0, b))
    magnitude = f.abs(a) if is_array(a) else operator.abs(a)
    return f.multiply(magnitude, 1.0 - 2.0 * sign_bit(f, b))


def _ldexp(f: Any, a: Any, b: Any) -> Any:
    return f.multiply(a, f.power(2.0, b) if is_array(b) else 2.0**b)


def _fmod(f: Any, a: Any, b: Any) -> Any:
    if not _any_float(a, b):
        return on_host("fmod", a, b)
    size = _remainder(
        f,
        f.abs(a) if is_array(a) else operator.abs(a),
        f.abs(b) if is_array(b) else operator.abs(b),
    )
    return _copysign(f, size, a)


def _ignoring_nan(name: str) -> Callable[[Any, Any, Any], Any]:
    """Return the larger or the smaller of each pair, or the one that is a number."""

    def compute(f: Any, a: Any, b: Any) -> Any:
        result = getattr(f, name)(a, b)
        if not _any_float(a, b):
            return result
        a, b = (_broadcast_like(f, x, result) for x in (a, b))
        return f.where(f.isnan(a), b, f.where(f.isnan(b), a, result))

    return compute


def _broadcast_like(f: Any, operand: Any, like: Any) -> Any:
    """Broadcast an array or a number to the shape of `like`."""
    if not is_array(operand):
        return filled(f, like, operand)
    return operand if f is F and operand.shape == like.shape else f.broadcast_like(operand, like)


add = binary_row("add", "``x1 + x2``", _arithmetic("add", "bool"), "same", operator.add)
subtract = binary_row("subtract", "``x1 - x2``", _arithmetic("subtract"), "same", operator.sub)
multiply = binary_row(
    "multiply", "``x1 * x2``", _arithmetic("multiply", "bool"), "same", operator.mul
)
divide = binary_row("divide", "``x1 / x2``", "divide", "float", operator.truediv)
true_divide = binary_row("true_divide", "``x1 / x2``", "divide", "float", operator.truediv)
floor_divide = binary_row("floor_divide", "``x1 / x2``, rounded down", _floor_divided)
mod = binary_row(
    "mod",
    "the remainder of ``x1 / x2``, with the sign of `x2`",
    _remainder,
    "same",
    operator.mod,
)
remainder = binary_row(
    "remainder",
    "the remainder of ``x1 / x2``, with the sign of `x2`",
    _remainder,
    "same",
    operator.mod,
)
fmod = binary_row("fmod", "the remainder of ``x1 / x2``, with the sign of `x1`", _fmod)
power = binary_row(
    "power", "`x1` to the power of `x2`", _arithmetic("power", "int8"), "same", operator.pow
)
maximum = binary_row("maximum", "the larger of each pair; nan if one is nan")
minimum = binary_row("minimum", "the smaller of each pair; nan if one is nan")
fmax = binary_row(
    "fmax", "the larger of each pair; the other if one is nan", _ignoring_nan("maximum")
)
fmin = binary_row(
    "fmin", "the smaller of each pair; the other if one is nan", _ignoring_nan("minimum")
)
hypot = binary_row("hypot", "``sqrt(x1**2 + x2**2)``", "hypot", "float")
arctan2 = binary_row("arctan2", "the angle of the point (x2, x1)", _arctan2, "float")
copysign = binary_row("copysign", "`x1` with the sign of `x2`", _copysign, "float")
ldexp = binary_row("ldexp", "``x1 * 2**x2``", _ldexp, "float")
lcm = binary_row("lcm", "the least common multiple", _host("lcm"), "integer")
gcd = binary_row("gcd", "the greatest common divisor", _host("gcd"), "integer")
bitwise_and = binary_row(
    "bitwise_and", "the bits that are 1 in both", _bitwise("bitwise_and", "logical_and"), "integer"
)
bitwise_or = binary_row(
    "bitwise_or",
    "the bits that are 1 in one or both",
    _bitwise("bitwise_or", "logical_or"),
    "integer",
)
bitwise_xor = binary_row(
    "bitwise_xor",
    "the bits that are 1 in exactly one",
    _bitwise("bitwise_xor", "logical_xor"),
    "integer",
)
left_shift = binary_row(
    "left_shift", "`x1` shifted to the left by `x2` bits", _host("left_shift"), "integer"
)
right_shift = binary_row(
    "right_shift", "`x1` shifted to the right by `x2` bits", _host("right_shift"), "integer"
)
logical_and = binary_row("logical_and", "whether both are not 0", "logical_and", "bool")
logical_or = binary_row("logical_or", "whether one or both are not 0", "logical_or", "bool")
logical_xor = binary_row("logical_xor", "whether exactly one is not 0", "logical_xor", "bool")
equal = binary_row("equal", "whether `x1` equals `x2`", "equal", "bool", operator.eq)
not_equal = binary_row(
    "not_equal", "whether `x1` differs from `x2`", "not_equal", "bool", operator.ne
)
greater = binary_row("greater", "whether `x1` is greater than `x2`", "greater", "bool", operator.gt)
greater_equal = binary_row(
    "greater_equal",
    "whether `x1` is greater than or equal to `x2`",
    "greater_equal",
    "bool",
    operator.ge,
)
less = binary_row("less", "whether `x1` is less than `x2`", "lesser", "bool", operator.lt)
less_equal = binary_row(
    "less_equal", "whether `x1` is less than or equal to `x2`", "lesser_equal", "bool", operator.le
)
