"""Functions of one array: rows of a table, from the name to opforge's operator.

Numbers alone go to NumPy's function of the same name. Lists and NumPy's arrays are rejected, as in
MXNet.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import DTypeError, F

from ..arrays import adopt, ndarray
from ..promotion import FLOATING, is_bool, is_floating, is_integer, name_of
from ..symbols.namespace import namespace_of
from .operands import (
    as_bool,
    as_float,
    as_number,
    check_keywords,
    expect_bool_out,
    is_array,
    write_out,
)

__all__ = [
    "abs",
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "bitwise_not",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "floor",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "log",
    "log1p",
    "log2",
    "log10",
    "logical_not",
    "negative",
    "positive",
    "rad2deg",
    "radians",
    "reciprocal",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]


class Unary(NamedTuple):
    """Row of a function of one array.

    Attributes
    ----------
    name : str
    compute : callable
        Function of the operators and the array.
    result : {"same", "float", "bool"}
        Type of the result: that of the array; floating, so that integers are converted first; bool.
    operator : str
        Name of the operator, or "" if `compute` calls several.
    """

    name: str
    compute: Callable[[Any, Any], Any]
    result: str
    operator: str

    def __call__(self, x: Any, out: Any, keywords: dict[str, Any]) -> Any:
        check_keywords(self.name, keywords)
        if not is_array(x):
            return getattr(np, self.name)(as_number(self.name, x))
        f = namespace_of(x)
        if self.result == "float":
            x = as_float(f, x)
        y = self.compute(f, x)
        if self.result == "bool":
            expect_bool_out(self.name, out)
        return write_out(adopt(as_bool(f, y) if self.result == "bool" else y), out)


def unary_row(name: str, doc: str, compute: Any = None, result: str = "same") -> Any:
    """Return a function of one array; `compute` is an operator, its name, or omitted for `name`."""
    kernel = "" if callable(compute) else compute or name
    if kernel:
        compute = _calling(kernel)
    row = Unary(name, compute, result, kernel)
    function = _function(row) if not kernel or result == "bool" else _direct_function(row)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {doc}, element by element.

    Parameters
    ----------
    x : ndarray or number
    out : ndarray, optional
        Array of the same shape for the result.

    Returns
    -------
    ndarray
        {_RESULTS[result]}
    """
    return function


def _function(row: Unary) -> Any:
    def function(x: Any, out: Any = None, **kwargs: Any) -> Any:
        return row(x, out, kwargs)

    return function


def _direct_function(row: Unary) -> Any:
    """Return the function, whose calls with an array cost one frame, as those of the operator."""
    direct = getattr(F, row.operator).direct
    takes_integers = row.result == "same"

    def function(x: Any, out: Any = None, **kwargs: Any) -> Any:
        if (
            type(x) is ndarray
            and (takes_integers or x.dtype_code in FLOATING)
            and out is None
            and not kwargs
        ):
            return direct((x,), ())
        return row(x, out, kwargs)

    return function


_RESULTS = {
    "same": "An array of the type of `x`.",
    "float": "An array of floating-point numbers; float32 for integers.",
    "bool": "A bool array.",
}


def _calling(name: str) -> Callable[[Any, Any], Any]:
    return lambda f, x: getattr(f, name)(x)


def _on_integers(function: Any) -> Callable[[Any, Any], Any]:
    """Return a function that leaves integers alone and rounds floats by `function`."""
    return lambda f, x: f.identity(x) if is_integer(x) else function(f, x)


def round_to_even(f: Any, x: Any) -> Any:
    """Round to the nearest integer, halves to the even one."""
    # The operator rounds halves down: those above an odd number are one too low.
    half = f._mul_scalar(x, 0.5)
    is_low = f._equal_scalar(f.broadcast_sub(half, f.floor(half)), 0.75)
    nearest = f.rint(x)
    return f.where(is_low, f._plus_scalar(nearest, 1.0), nearest)  # adding 0 would lose -0.0


def _negative(f: Any, x: Any) -> Any:
    return f.negative(f.cast(x, dtype="int64") if is_bool(x) else x)


def _invert(f: Any, x: Any) -> Any:
    if is_bool(x):
        return f.logical_not(x)
    if name_of(x) and is_floating(x):
        raise DTypeError(f"np.invert takes integers and bool, got {name_of(x)}")
    return -1 - x


def _is_nan(f: Any, x: Any) -> Any:
    return x != x if type(x) is ndarray else f.isnan(x)  # the comparison gives bool at once


def _is_infinity(sign: float) -> Callable[[Any, Any], Any]:
    return lambda f, x: f.equal(as_float(f, x), sign * np.inf)


def sign_bit(f: Any, x: Any) -> Any:
    """Return whether numbers are negative, with -0.0 counted as negative."""
    if is_integer(x):
        return f.lesser(x, 0)
    return f.logical_or(f.lesser(x, 0), f.lesser(f.reciprocal(x), 0))


negative = unary_row("negative", "``-x``", _negative)
abs = unary_row("abs", "the absolute value")
absolute = unary_row("absolute", "the absolute value", "abs")
fabs = unary_row("fabs", "the absolute value", "abs")
positive = unary_row("positive", "a copy of `x`", "_copy")
sign = unary_row("sign", "the sign: -1, 0 or 1")
square = unary_row("square", "the square")
reciprocal = unary_row("reciprocal", "``1 / x``")
rint = unary_row(
    "rint", "the nearest integer, for halves the even one", _on_integers(round_to_even)
)
ceil = unary_row("ceil", "the smallest integer not less than `x`")
floor = unary_row("floor", "the largest integer not greater than `x`")
trunc = unary_row("trunc", "`x` without its fraction")
fix = unary_row("fix", "the nearest integer towards zero")
sqrt = unary_row("sqrt", "the square root", "sqrt", "float")
cbrt = unary_row("cbrt", "the cube root", "cbrt", "float")
exp = unary_row("exp", "e to the power of `x`", "exp", "float")
exp2 = unary_row("exp2", "2 to the power of `x`", lambda f, x: f.power(2.0, x), "float")
expm1 = unary_row("expm1", "``exp(x) - 1``", "expm1", "float")
log = unary_row("log", "the natural logarithm", "log", "float")
log2 = unary_row("log2", "the logarithm to base 2", "log2", "float")
log10 = unary_row("log10", "the logarithm to base 10", "log10", "float")
log1p = unary_row("log1p", "``log(1 + x)``", "log1p", "float")
sin = unary_row("sin", "the sine", "sin", "float")
cos = unary_row("cos", "the cosine", "cos", "float")
tan = unary_row("tan", "the tangent", "tan", "float")
arcsin = unary_row("arcsin", "the inverse sine", "arcsin", "float")
arccos = unary_row("arccos", "the inverse cosine", "arccos", "float")
arctan = unary_row("arctan", "the inverse tangent", "arctan", "float")
sinh = unary_row("sinh", "the hyperbolic sine", "sinh", "float")
cosh = unary_row("cosh", "the hyperbolic cosine", "cosh", "float")
tanh = unary_row("tanh", "the hyperbolic tangent", "tanh", "float")
arcsinh = unary_row("arcsinh", "the inverse hyperbolic sine", "arcsinh", "float")
arccosh = unary_row("arccosh", "the inverse hyperbolic cosine", "arccosh", "float")
arctanh = unary_row("arctanh", "the inverse hyperbolic tangent", "arctanh", "float")
degrees = unary_row("degrees", "the angle in degrees of an angle in radians", "degrees", "float")
rad2deg = unary_row("rad2deg", "the angle in degrees of an angle in radians", "degrees", "float")
radians = unary_row("radians", "the angle in radians of an angle in degrees", "radians", "float")
deg2rad = unary_row("deg2rad", "the angle in radians of an angle in degrees", "radians", "float")
logical_not = unary_row("logical_not", "whether `x` is 0", "logical_not", "bool")
isnan = unary_row("isnan", "whether `x` is not a number", _is_nan, "bool")
isinf = unary_row("isinf", "whether `x` is infinite", "isinf", "bool")
isfinite = unary_row("isfinite", "whether `x` is finite", "isfinite", "bool")
isposinf = unary_row("isposinf", "whether `x` is positive infinity", _is_infinity(1.0), "bool")
isneginf = unary_row("isneginf", "whether `x` is negative infinity", _is_infinity(-1.0), "bool")
signbit = unary_row("signbit", "whether `x` is negative, or -0.0", sign_bit, "bool")
invert = unary_row("invert", "the inverted bits of `x`; for bool its negation", _invert)
bitwise_not = unary_row("bitwise_not", "the inverted bits of `x`; for bool its negation", _invert)
