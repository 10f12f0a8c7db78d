"""Elementary functions of one array."""

from math import log, pi

from ._elementwise import unary_row

__all__: list[str] = []

X = ("inputs",)
Y = ("outputs",)

# The name, which saved graphs contain, is that of MXNet.
unary_row(
    "_copy",
    "Return a copy of `data`.",
    lambda F, dy, x, y: dy,
    kernel="identity",
    aliases=("identity",),
)
unary_row("negative", "Return ``-data``.", lambda F, dy, x, y: -dy, aliases=("_np_negative",))
unary_row("abs", "Return the absolute value.", lambda F, dy, x, y: F._backward_abs(dy, x), X)
unary_row("sign", "Return the sign: -1, 0 or 1.", None)
unary_row("square", "Return the square.", lambda F, dy, x, y: F._backward_square(dy, x), X)
unary_row("sqrt", "Return the square root.", lambda F, dy, x, y: F._backward_sqrt(dy, y), Y)
unary_row(
    "rsqrt", "Return one over the square root.", lambda F, dy, x, y: F._backward_rsqrt(dy, y), Y
)
unary_row("cbrt", "Return the cube root.", lambda F, dy, x, y: F._backward_cbrt(dy, y), Y)
unary_row(
    "rcbrt", "Return one over the cube root.", lambda F, dy, x, y: F._backward_rcbrt(dy, x), X
)
unary_row(
    "reciprocal", "Return ``1 / data``.", lambda F, dy, x, y: F._backward_reciprocal(dy, y), Y
)
unary_row("exp", "Return e to the power of `data`.", lambda F, dy, x, y: dy * y, Y)
unary_row("expm1", "Return ``exp(data) - 1``.", lambda F, dy, x, y: F._backward_expm1(dy, y), Y)
unary_row("log", "Return the natural logarithm.", lambda F, dy, x, y: dy / x, X)
unary_row("log2", "Return the logarithm to base 2.", lambda F, dy, x, y: F._backward_log2(dy, x), X)
unary_row(
    "log10", "Return the logarithm to base 10.", lambda F, dy, x, y: F._backward_log10(dy, x), X
)
unary_row("log1p", "Return ``log(1 + data)``.", lambda F, dy, x, y: F._backward_log1p(dy, x), X)
unary_row("sin", "Return the sine.", lambda F, dy, x, y: F._backward_sin(dy, x), X)
unary_row("cos", "Return the cosine.", lambda F, dy, x, y: F._backward_cos(dy, x), X)
unary_row("tan", "Return the tangent.", lambda F, dy, x, y: F._backward_tan(dy, y), Y)
unary_row("arcsin", "Return the inverse sine.", lambda F, dy, x, y: F._backward_arcsin(dy, x), X)
unary_row("arccos", "Return the inverse cosine.", lambda F, dy, x, y: F._backward_arccos(dy, x), X)
unary_row("arctan", "Return the inverse tangent.", lambda F, dy, x, y: F._backward_arctan(dy, x), X)
unary_row("sinh", "Return the hyperbolic sine.", lambda F, dy, x, y: F._backward_sinh(dy, x), X)
unary_row("cosh", "Return the hyperbolic cosine.", lambda F, dy, x, y: F._backward_cosh(dy, x), X)
unary_row("tanh", "Return the hyperbolic tangent.", lambda F, dy, x, y: F._backward_tanh(dy, y), Y)
unary_row(
    "arcsinh",
    "Return the inverse hyperbolic sine.",
    lambda F, dy, x, y: F._backward_arcsinh(dy, x),
    X,
)
unary_row(
    "arccosh",
    "Return the inverse hyperbolic cosine.",
    lambda F, dy, x, y: F._backward_arccosh(dy, x),
    X,
)
unary_row(
    "arctanh",
    "Return the inverse hyperbolic tangent.",
    lambda F, dy, x, y: F._backward_arctanh(dy, x),
    X,
)
unary_row("erf", "Return the error function.", lambda F, dy, x, y: F._backward_erf(dy, x), X)
unary_row(
    "erfinv",
    "Return the inverse of the error function.",
    lambda F, dy, x, y: F._backward_erfinv(dy, y),
    Y,
)
unary_row(
    "gamma",
    "Return the gamma function.",
    lambda F, dy, x, y: dy * y * F._digamma(x),
    ("inputs", "outputs"),
)
unary_row(
    "gammaln",
    "Return the logarithm of the gamma function's absolute value.",
    lambda F, dy, x, y: F._backward_gammaln(dy, x),
    X,
)
unary_row("degrees", "Convert from radians to degrees.", lambda F, dy, x, y: dy * (180.0 / pi))
unary_row("radians", "Convert from degrees to radians.", lambda F, dy, x, y: dy * (pi / 180.0))
unary_row("rint", "Round to the nearest integer, halves to the lower one.", None)
unary_row("round", "Round to the nearest integer, halves away from zero.", None)
unary_row("ceil", "Round up.", None)
unary_row("floor", "Round down.", None)
unary_row("trunc", "Round towards zero.", None)
unary_row("fix", "Round to the nearest integer towards zero.", None)
unary_row("logical_not", "Return 1 where `data` is 0, else 0.", None)
unary_row("isnan", "Return 1 where `data` is not a number.", None, aliases=("_contrib_isnan",))
unary_row("isinf", "Return 1 where `data` is infinite.", None, aliases=("_contrib_isinf",))
unary_row("isfinite", "Return 1 where `data` is finite.", None, aliases=("_contrib_isfinite",))

#: Natural logarithms for the gradients of log2 and log10.
LN2 = log(2.0)
LN10 = log(10.0)
