"""Rows of the elementwise operators."""

import math
from statistics import NormalDist

import numpy as np

from .case import (
    Case,
    above_one,
    away,
    calls,
    flags,
    normal,
    positive,
    quarters,
    unit,
)

SHAPES = calls([(2, 3)], [(1,)], [()], [(0,)], [(3, 0, 2)], [(7, 5, 3)])


def vector(function):
    """Apply a function of one number to every element."""
    return lambda x: np.array([function(v) for v in x.ravel()], dtype=float).reshape(x.shape)


def erfinv(value):
    """Invert the error function by Newton's steps from the normal quantile."""
    y = NormalDist().inv_cdf((value + 1) / 2) / math.sqrt(2)
    for _ in range(3):
        y -= (math.erf(y) - value) / (2 / math.sqrt(math.pi) * math.exp(-y * y))
    return y


def digamma(value):
    """Sum the recurrence up to 10, then the asymptotic series."""
    total = 0.0
    while value < 10:
        total -= 1 / value
        value += 1
    square = 1 / (value * value)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return total + math.log(value) - 0.5 / value - series


def unary(name, reference, sample=normal, **options):
    return Case(name, reference, SHAPES, sample, **options)


STEPS = {"order": 1}

UNARY = [
    unary("_copy", lambda x: x),
    unary("negative", np.negative),
    unary("abs", np.abs, away),
    unary("sign", np.sign, away, **STEPS),
    unary("square", np.square),
    unary("sqrt", np.sqrt, positive),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), positive),
    unary("cbrt", np.cbrt, away),
    unary("rcbrt", lambda x: 1 / np.cbrt(x), away),
    unary("reciprocal", lambda x: 1 / x, away),
    unary("exp", np.exp),
    unary("expm1", np.expm1),
    unary("log", np.log, positive),
    unary("log2", np.log2, positive),
    unary("log10", np.log10, positive),
    unary("log1p", np.log1p, positive),
    unary("sin", np.sin),
    unary("cos", np.cos),
    unary("tan", np.tan, unit),
    unary("arcsin", np.arcsin, unit),
    unary("arccos", np.arccos, unit),
    unary("arctan", np.arctan),
    unary("sinh", np.sinh),
    unary("cosh", np.cosh),
    unary("tanh", np.tanh),
    unary("arcsinh", np.arcsinh),
    unary("arccosh", np.arccosh, above_one),
    unary("arctanh", np.arctanh, unit),
    unary("erf", vector(math.erf)),
    unary("erfinv", vector(erfinv), unit),
    unary("gamma", vector(math.gamma), positive, order=1),
    unary("gammaln", vector(math.lgamma), positive, order=1),
    unary("_digamma", vector(digamma), positive, smooth=()),
    unary("degrees", np.degrees),
    unary("radians", np.radians),
    unary("rint", np.rint, quarters, **STEPS),
    unary("round", np.round, quarters, **STEPS),
    unary("ceil", np.ceil, quarters, **STEPS),
    unary("floor", np.floor, quarters, **STEPS),
    unary("trunc", np.trunc, quarters, **STEPS),
    unary("fix", np.trunc, quarters, **STEPS),
    unary("logical_not", lambda x: x == 0, flags, smooth=()),
    unary("isnan", lambda x: np.where(x == 0, 0, np.isnan(x)), flags, smooth=()),
    unary("isinf", np.isinf, flags, smooth=()),
    unary("isfinite", np.isfinite, flags, smooth=()),
    unary("zeros_like", np.zeros_like, **STEPS),
    unary("ones_like", np.ones_like, **STEPS),
    unary("BlockGrad", lambda x: x, smooth=()),
    unary("make_loss", lambda x: x, smooth=()),
    unary("_contrib_round_ste", np.round, quarters, smooth=()),
    unary("_contrib_sign_ste", np.sign, smooth=()),
    Case(
        "_contrib_gradientmultiplier",
        lambda x, scalar: x,
        calls([(2, 3)], [(0, 3)], scalar=1.75),
        normal,
        smooth=(),
    ),
    Case(
        "_contrib_quadratic",
        lambda x, a, b, c: a * x * x + b * x + c,
        calls([(2, 3)], [(0, 3)], [(9, 7)], a=1.5, b=-2.0, c=0.5),
        normal,
        order=2,
    ),
    Case(
        "_contrib_allclose",
        lambda a, b, atol: np.full((1,), np.allclose(a, b, atol=atol)),
        calls([(2, 3), (2, 3)], [(1,), (1,)], [(0, 3), (0, 3)], atol=0.5),
        normal,
        smooth=(),
        dtype="uint8",
    ),
]

# If the saved array is the function's output, it is drawn from the function's range.
BACKWARD_SLOPES = {
    "abs": (np.sign, away),
    "relu": (lambda y: y > 0, away),
    "square": (lambda x: 2 * x, normal),
    "sqrt": (lambda y: 0.5 / y, positive),
    "rsqrt": (lambda y: -0.5 * y**3, positive),
    "reciprocal": (lambda y: -y * y, away),
    "cbrt": (lambda y: 1 / (3 * y * y), away),
    "rcbrt": (lambda x: -1 / (3 * x * np.cbrt(x)), away),
    "expm1": (lambda y: y + 1, normal),
    "log1p": (lambda x: 1 / (1 + x), positive),
    "log2": (lambda x: 1 / (x * math.log(2)), positive),
    "log10": (lambda x: 1 / (x * math.log(10)), positive),
    "sin": (np.cos, normal),
    "cos": (lambda x: -np.sin(x), normal),
    "tan": (lambda y: 1 + y * y, normal),
    "arcsin": (lambda x: 1 / np.sqrt(1 - x * x), unit),
    "arccos": (lambda x: -1 / np.sqrt(1 - x * x), unit),
    "arctan": (lambda x: 1 / (1 + x * x), normal),
    "sinh": (np.cosh, normal),
    "cosh": (np.sinh, normal),
    "tanh": (lambda y: 1 - y * y, unit),
    "arcsinh": (lambda x: 1 / np.sqrt(1 + x * x), normal),
    "arccosh": (lambda x: 1 / np.sqrt(x * x - 1), above_one),
    "arctanh": (lambda x: 1 / (1 - x * x), unit),
    "sigmoid": (lambda y: y * (1 - y), unit),
    "softrelu": (lambda y: -np.expm1(-y), positive),
    "softsign": (lambda x: 1 / (1 + np.abs(x)) ** 2, away),
    "erf": (lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x), normal),
    "erfinv": (lambda y: math.sqrt(math.pi) / 2 * np.exp(y * y), unit),
    "gammaln": (vector(digamma), positive),
}


def backward(name, slope, sample):
    def reference(dy, saved):
        return dy * slope(saved)

    shapes = calls([(2, 3), (2, 3)], [(0,), (0,)], [(5, 4, 3), (5, 4, 3)])
    smooth, order = ((0,), 1) if name == "gammaln" else (None, 2)
    return Case(
        f"_backward_{name}", reference, shapes, (normal, sample), smooth=smooth, order=order
    )


BACKWARD = [backward(name, *row) for name, row in BACKWARD_SLOPES.items()]

SAME = calls([(2, 3), (2, 3)], [(), ()], [(0, 2), (0, 2)], [(17, 3), (17, 3)])
BROADCAST = calls(
    [(2, 3), (2, 3)],
    [(2, 1), (3,)],
    [(4, 1, 3), (1, 5, 1)],
    [(), (2, 2)],
    [(1,), (0,)],
    [(3, 0), (3, 1)],
)


def remainder(a, b):
    return np.mod(a, b)


ARITHMETIC = {
    ("elemwise_add", "broadcast_add"): (np.add, normal, 2),
    ("elemwise_sub", "broadcast_sub"): (np.subtract, normal, 2),
    ("elemwise_mul", "broadcast_mul"): (np.multiply, normal, 2),
    ("elemwise_div", "broadcast_div"): (np.divide, away, 2),
    ("_mod", "broadcast_mod"): (remainder, (quarters, above_one), 1),
    ("_power", "broadcast_power"): (np.power, positive, 2),
    ("_maximum", "broadcast_maximum"): (np.maximum, away, 1),
    ("_minimum", "broadcast_minimum"): (np.minimum, away, 1),
    ("_hypot", "broadcast_hypot"): (np.hypot, away, 2),
    ("_arctan2", "broadcast_arctan2"): (np.arctan2, away, 2),
}
COMPARISONS = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "lesser": np.less,
    "lesser_equal": np.less_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}

BINARY = [
    Case(name, reference, shapes, sample, order=order, dtypes=("float32", "float64"))
    for names, (reference, sample, order) in ARITHMETIC.items()
    for name, shapes in zip(names, (SAME, BROADCAST), strict=True)
] + [
    Case(prefix + name, reference, shapes, flags, smooth=())
    for name, reference in COMPARISONS.items()
    for prefix, shapes in (("_", SAME), ("broadcast_", BROADCAST))
]
BINARY.append(
    Case("_scatter_elemwise_div", np.divide, SAME, away, order=2, dtypes=("float32", "float64"))
)


def scalar(name, function, sample=normal, order=2, value=1.75, mirrored=False):
    def reference(x, scalar):
        return function(scalar, x) if mirrored else function(x, scalar)

    return Case(
        name,
        reference,
        calls([(2, 3)], [()], [(0, 3)], [(9, 7)], scalar=value),
        sample,
        order=order,
    )


SCALAR = [
    scalar("_plus_scalar", np.add),
    scalar("_rplus_scalar", np.add, mirrored=True),
    scalar("_scatter_plus_scalar", np.add),
    scalar("_minus_scalar", np.subtract),
    scalar("_scatter_minus_scalar", np.subtract),
    scalar("_rminus_scalar", np.subtract, mirrored=True),
    scalar("_mul_scalar", np.multiply),
    scalar("_rmul_scalar", np.multiply, mirrored=True),
    scalar("_div_scalar", np.divide),
    scalar("_rdiv_scalar", np.divide, away, mirrored=True),
    scalar("_mod_scalar", np.mod, quarters, order=1, value=1.6),
    scalar("_rmod_scalar", np.mod, above_one, order=1, value=-7.3, mirrored=True),
    scalar("_power_scalar", np.power, positive),
    scalar("_rpower_scalar", np.power, mirrored=True),
    scalar("_maximum_scalar", np.maximum, away, order=1, value=0.1),
    scalar("_minimum_scalar", np.minimum, away, order=1, value=0.1),
    scalar("_hypot_scalar", np.hypot, away),
] + [
    Case(
        f"_{name}_scalar",
        lambda x, scalar, function=function: function(x, scalar),
        calls([(2, 3)], [(0,)], scalar=1.0),
        flags,
        smooth=(),
    )
    for name, function in COMPARISONS.items()
]

CASES = [*UNARY, *BACKWARD, *BINARY, *SCALAR]
