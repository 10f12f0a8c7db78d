"""Elementwise functions of the standard: names and types of operands, from tables of rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError
from opforge.plugin_api import F as nd

from .. import elementwise as ours
from ..arguments import from_numpy
from ..promotion import is_floating
from .arguments import checked, converted, number_as_array, pair, wrapped
from .dtypes import common_type

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]


def _unary(name: str, function: Callable[[Any], Any], kind: str) -> Callable[[Any], Any]:
    def call(x: Any, /) -> Any:
        return wrapped(function(checked(name, x, kind)))

    return _document(call, name, function, kind)


def _binary(name: str, function: Callable[[Any, Any], Any], kind: str) -> Callable[..., Any]:
    def call(x1: Any, x2: Any, /) -> Any:
        return wrapped(function(*pair(name, x1, x2, kind)))

    return _document(call, name, function, kind)


def _document(call: Any, name: str, function: Any, kind: str) -> Any:
    summary = (function.__doc__ or "").partition("\n")[0]
    call.__name__ = call.__qualname__ = name
    types = "of any type" if kind == "any" else f"of a type that is {kind.replace('|', ' or ')}"
    call.__doc__ = f"{summary}\n\nTakes arrays {types}; see the array API standard."
    return call


def _sign(x: Any) -> Any:
    """Return the sign: -1, 0, 1 or nan."""
    signs = ours.sign(x)
    return ours.where(ours.isnan(x), x, signs) if is_floating(x) else signs


def _signbit(x: Any) -> Any:
    """Return whether the bit of the sign is 1, which -0.0 and nan may have too."""
    return from_numpy(np.asarray(np.signbit(x.asnumpy())), x)


def _remainder(x1: Any, x2: Any) -> Any:
    """Return the remainder of ``x1 / x2``, with the sign of `x2`; nan if `x2` is 0."""
    rest = ours.mod(x1, x2)
    return ours.where(ours.equal(x2, 0), np.nan, rest) if is_floating(rest) else rest


def _floor_divide(x1: Any, x2: Any) -> Any:
    """Return ``x1 / x2``, rounded down."""
    result = ours.floor_divide(x1, x2)
    if not is_floating(result):
        return result
    # Zeros and infinities have exact quotients, whose sign `ours` loses.
    is_exact = ours.logical_or(ours.logical_or(ours.isinf(x1), ours.isinf(x2)), ours.equal(x1, 0))
    return ours.where(is_exact, ours.floor(ours.divide(x1, x2)), result)


def _logaddexp(x1: Any, x2: Any) -> Any:
    """Return the logarithm of ``exp(x1) + exp(x2)``."""
    largest = ours.maximum(x1, x2)
    distance = ours.abs(ours.subtract(x1, x2))
    # Equal infinities have no distance.
    distance = ours.where(ours.equal(x1, x2), nd.zeros_like(distance), distance)
    return ours.add(largest, ours.log1p(ours.exp(ours.negative(distance))))


def _nextafter(x1: Any, x2: Any) -> Any:
    """Return the next value after `x1` in the direction of `x2`."""
    return from_numpy(np.asarray(np.nextafter(x1.asnumpy(), x2.asnumpy())), x1)


abs = _unary("abs", ours.abs, "numeric")
acos = _unary("acos", ours.arccos, "real floating")
acosh = _unary("acosh", ours.arccosh, "real floating")
asin = _unary("asin", ours.arcsin, "real floating")
asinh = _unary("asinh", ours.arcsinh, "real floating")
atan = _unary("atan", ours.arctan, "real floating")
atanh = _unary("atanh", ours.arctanh, "real floating")
bitwise_invert = _unary("bitwise_invert", ours.invert, "integral|bool")
ceil = _unary("ceil", ours.ceil, "numeric")
cos = _unary("cos", ours.cos, "real floating")
cosh = _unary("cosh", ours.cosh, "real floating")
exp = _unary("exp", ours.exp, "real floating")
expm1 = _unary("expm1", ours.expm1, "real floating")
floor = _unary("floor", ours.floor, "numeric")
isfinite = _unary("isfinite", ours.isfinite, "numeric")
isinf = _unary("isinf", ours.isinf, "numeric")
isnan = _unary("isnan", ours.isnan, "numeric")
log = _unary("log", ours.log, "real floating")
log10 = _unary("log10", ours.log10, "real floating")
log1p = _unary("log1p", ours.log1p, "real floating")
log2 = _unary("log2", ours.log2, "real floating")
logical_not = _unary("logical_not", ours.logical_not, "bool")
negative = _unary("negative", ours.negative, "numeric")
positive = _unary("positive", ours.positive, "numeric")
reciprocal = _unary("reciprocal", ours.reciprocal, "real floating")
round = _unary("round", ours.rint, "numeric")
sign = _unary("sign", _sign, "numeric")
signbit = _unary("signbit", _signbit, "real floating")
sin = _unary("sin", ours.sin, "real floating")
sinh = _unary("sinh", ours.sinh, "real floating")
sqrt = _unary("sqrt", ours.sqrt, "real floating")
square = _unary("square", ours.square, "numeric")
tan = _unary("tan", ours.tan, "real floating")
tanh = _unary("tanh", ours.tanh, "real floating")
trunc = _unary("trunc", ours.trunc, "numeric")
add = _binary("add", ours.add, "numeric")
atan2 = _binary("atan2", ours.arctan2, "real floating")
bitwise_and = _binary("bitwise_and", ours.bitwise_and, "integral|bool")
bitwise_left_shift = _binary("bitwise_left_shift", ours.left_shift, "integral")
bitwise_or = _binary("bitwise_or", ours.bitwise_or, "integral|bool")
bitwise_right_shift = _binary("bitwise_right_shift", ours.right_shift, "integral")
bitwise_xor = _binary("bitwise_xor", ours.bitwise_xor, "integral|bool")
copysign = _binary("copysign", ours.copysign, "real floating")
divide = _binary("divide", ours.divide, "real floating")
equal = _binary("equal", ours.equal, "any")
floor_divide = _binary("floor_divide", _floor_divide, "numeric")
greater = _binary("greater", ours.greater, "numeric")
greater_equal = _binary("greater_equal", ours.greater_equal, "numeric")
hypot = _binary("hypot", ours.hypot, "real floating")
less = _binary("less", ours.less, "numeric")
less_equal = _binary("less_equal", ours.less_equal, "numeric")
logaddexp = _binary("logaddexp", _logaddexp, "real floating")
logical_and = _binary("logical_and", ours.logical_and, "bool")
logical_or = _binary("logical_or", ours.logical_or, "bool")
logical_xor = _binary("logical_xor", ours.logical_xor, "bool")
maximum = _binary("maximum", ours.maximum, "numeric")
minimum = _binary("minimum", ours.minimum, "numeric")
multiply = _binary("multiply", ours.multiply, "numeric")
nextafter = _binary("nextafter", _nextafter, "real floating")
not_equal = _binary("not_equal", ours.not_equal, "any")
pow = _binary("pow", ours.power, "numeric")
remainder = _binary("remainder", _remainder, "numeric")
subtract = _binary("subtract", ours.subtract, "numeric")


def conj(x: Any, /) -> Any:
    """Return the complex conjugate: a copy, as arrays have real elements."""
    return positive(x)


def real(x: Any, /) -> Any:
    """Return the real part: a copy, as arrays have real elements."""
    return positive(x)


def imag(x: Any, /) -> Any:
    """Return the imaginary part: zeros, as arrays have real elements."""
    return wrapped(nd.zeros_like(checked("imag", x, "numeric")))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """Return the elements limited to a range.

    Parameters
    ----------
    x : Array
    min, max : Array, number or None
        Lowest and highest value, which broadcast with `x`; None is no limit.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.clip(xp.asarray([-1, 0, 3]), 0, 1)
    array([0, 0, 1], dtype=int64)
    """
    x = checked("clip", x, "numeric")
    result = x
    for bound, limit in ((min, maximum), (max, minimum)):
        if bound is None:
            continue
        bound = _typed_like("clip", bound, x)
        result = limit(result, bound)
    return positive(x) if result is x else result


def _typed_like(name: str, value: Any, like: Any) -> Any:
    """Return a number or an array, whose type `like` can hold, in the type of `like`."""
    if isinstance(value, int | float):
        return number_as_array(name, value, like)
    value = checked(name, value, "numeric")
    if common_type(value.dtype, like.dtype) != like.dtype:
        raise DTypeError(f"{name}: a bound has type {value.dtype}; expected {like.dtype}")
    return converted(value, like.dtype)
