"""Elementary functions against float64 NumPy: units in the last place, inf, NaN, signed zeros."""

import math

import numpy as np
import pytest

from opforge.base.context import current_context
from opforge.base.dtypes import code_of
from opforge.native import array as native
from opforge.native import calls as kernels

#: float32 over its entire range, including subnormals and every exponent, and densely around 0.
SWEEP = np.concatenate(
    [
        np.concatenate(
            [np.arange(s, s + 0x7F800000, 9973, dtype=np.uint32) for s in (0, 0x80000000)]
        ).view(np.float32),
        np.linspace(-120, 120, 200001, dtype=np.float32),
        np.linspace(-2, 2, 200001, dtype=np.float32),
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1], np.float32),
    ]
)


#: float64 likewise, with a dense part that covers the range in which the functions are finite.
SWEEP_F64 = np.concatenate(
    [
        np.concatenate(
            [np.arange(s, s + (0x7FF << 52), 0x3FF << 38, dtype=np.uint64) for s in (0, 1 << 63)]
        ).view(np.float64),
        np.linspace(-760, 760, 40001),
        np.linspace(-40, 40, 40001),
        np.linspace(-1, 1, 40001),
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324]),
    ]
)
#: Functions that divide rounded intermediate results; all others are within 2 ulp of float32.
TWO_ROUNDINGS = {"sigmoid", "tanh", "softrelu"}
#: float32 functions that are computed in float64, so that they are correctly rounded almost always.
WIDE = {
    "log2", "log10", "cbrt", "rcbrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh",
    "cosh", "arcsinh", "arccosh", "arctanh",
}  # fmt: skip
#: float64 functions with polynomials instead of libm, and their maximum error in ulp.
VECTOR_F64 = {
    "exp": 1.5, "log": 1.5, "log1p": 2, "expm1": 3, "sigmoid": 3, "tanh": 3, "softrelu": 3,
}  # fmt: skip


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


def each(function):
    return lambda x: np.array([function(v) for v in x.tolist()])


REFERENCES = {
    "exp": np.exp,
    "log": np.log,
    "sigmoid": sigmoid,
    "tanh": np.tanh,
    "softrelu": lambda x: np.logaddexp(0, x),
    "erf": each(math.erf),
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "square": np.square,
    "relu": lambda x: np.where(x < 0, 0, x),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "expm1": np.expm1,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "cbrt": np.cbrt,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "arcsinh": np.arcsinh,
    "arccosh": np.arccosh,
    "arctanh": np.arctanh,
    "degrees": np.degrees,
    "radians": np.radians,
}


def run(name, x):
    x = np.ascontiguousarray(x)
    code = code_of(x.dtype)
    out = native.empty(x.shape, code, current_context())
    kernels.unary(name, native.from_numpy(x, code, current_context()), out)
    return out.asnumpy()


def worst_ulp(got, exact, dtype):
    """Check non-finite results and return the largest error in units in the last place."""
    expected = exact.astype(dtype)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    infinite = np.isinf(expected)
    np.testing.assert_array_equal(got[infinite], expected[infinite])
    finite = np.isfinite(expected)
    assert np.isfinite(got[finite]).all()
    zero = finite & (expected == 0) & (got == 0)
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))
    unit = np.spacing(np.abs(expected[finite])).astype(exact.dtype)
    return np.max(np.abs(got[finite].astype(exact.dtype) - exact[finite]) / unit)


@pytest.mark.parametrize("name", REFERENCES)
def test_float32_is_within_3_ulp(name):
    with np.errstate(all="ignore"):
        exact = np.asarray(REFERENCES[name](SWEEP.astype(np.float64)), np.float64)
        worst = worst_ulp(run(name, SWEEP), exact, np.float32)
    assert worst <= (3 if name in TWO_ROUNDINGS else 0.51 if name in WIDE else 2)


@pytest.mark.parametrize("name", REFERENCES)
def test_float64_is_within_4_ulp(name):
    x = np.concatenate([np.linspace(-40, 40, 20001), np.linspace(-1, 1, 20001), [np.nan, np.inf]])
    with np.errstate(all="ignore"):
        exact = np.asarray(REFERENCES[name](x), np.float64)
        assert worst_ulp(run(name, x), exact, np.float64) <= 4


@pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 60, reason="the reference is computed in extended precision"
)
@pytest.mark.parametrize("name", VECTOR_F64)
def test_float64_polynomials_over_the_entire_range(name):
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](SWEEP_F64.astype(np.longdouble))
        assert worst_ulp(run(name, SWEEP_F64), exact, np.float64) <= VECTOR_F64[name]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*VECTOR_F64, "erf", "gammaln", *sorted(WIDE)])
def test_elements_do_not_depend_on_neighbors(name, dtype):
    """Vector lanes and the scalar tail compute the same bits, also next to a huge argument."""
    x = np.random.default_rng(5).normal(size=300).astype(dtype) * 9
    together = run(name, x)
    np.testing.assert_array_equal(run(name, np.append(x, dtype(1e30)))[:300], together)
    for begin, end in [(0, 1), (3, 10), (1, 300), (299, 300), (7, 133)]:
        np.testing.assert_array_equal(run(name, x[begin:end]), together[begin:end])


def test_erfinv_inverts_erf():
    x = np.concatenate([np.linspace(-0.999999, 0.999999, 2001), [1e-300, 1e-9, 0.5]])
    np.testing.assert_allclose(each(math.erf)(run("erfinv", x)), x, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(run("erfinv", np.array([1.0, -1.0])), [np.inf, -np.inf])
    assert np.isnan(run("erfinv", np.array([1.5, np.nan]))).all()


def test_gamma_and_its_logarithm():
    x = np.array([0.5, 1.0, 4.5, -1.5, 20.0, 100.0])
    np.testing.assert_allclose(run("gamma", x), each(math.gamma)(x), rtol=1e-14)
    np.testing.assert_allclose(run("gammaln", x), each(math.lgamma)(x), rtol=1e-14, atol=1e-15)


def test_float32_gammaln_of_positive_numbers_is_rounded_once():
    dense = np.linspace(0.001, 12, 40_001, dtype=np.float32)
    roots = np.concatenate([r + np.arange(-50, 50) * 2.0**-23 for r in (1, 2)]).astype(np.float32)
    x = np.concatenate([np.abs(SWEEP[::50]), dense, roots])
    x = x[(x > 0) & (x < 1e36)]
    with np.errstate(under="ignore"):
        assert worst_ulp(run("gammaln", x), each(math.lgamma)(x), np.float32) <= 0.51


def test_float32_gammaln_of_other_arguments():
    x = np.array([np.inf, -np.inf, 0, -0.0, -3, 3e38, np.nan, -2.5], np.float32)
    expected = [np.inf] * 6 + [np.nan, math.lgamma(-2.5)]
    np.testing.assert_allclose(run("gammaln", x), expected, rtol=1e-7)


def test_digamma_is_the_derivative_of_gammaln():
    x = np.array([0.3, 1.0, 2.5, 9.0, 40.0, -0.7, -3.2])
    step = 1e-5
    slope = (each(math.lgamma)(x + step) - each(math.lgamma)(x - step)) / (2 * step)
    np.testing.assert_allclose(run("digamma", x), slope, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_digamma_is_infinite_at_its_poles(dtype):
    poles = np.array([0.0, -0.0, -1, -2, -34, -1e30, -np.inf], dtype)
    assert (run("digamma", poles) == np.inf).all()
    np.testing.assert_equal(run("digamma", np.array([np.inf, np.nan], dtype)), [np.inf, np.nan])


@pytest.mark.parametrize("pole", [0, -1, -3])
def test_digamma_is_accurate_near_poles(pole):
    away = np.concatenate([s * 2.0 ** -np.arange(20, 49) for s in (-1, 1)])
    if pole == 0:
        away = np.concatenate([away, [-1e-30, 1e-30, -1e-300, 1e-300]])
    at_pole = sum(1 / k for k in range(1, -pole + 1)) - np.euler_gamma
    np.testing.assert_allclose(run("digamma", pole + away), -1 / away + at_pole, rtol=1e-11)


GRADIENTS = {
    "sigmoid": "y", "tanh": "y", "softrelu": "y", "sqrt": "y", "rsqrt": "y", "reciprocal": "y",
    "cbrt": "y", "expm1": "y", "tan": "y", "erfinv": "y", "relu": "y", "softsign": "x", "abs": "x",
    "square": "x", "log1p": "x", "log2": "x", "log10": "x", "arcsin": "x", "arccos": "x",
    "arctan": "x", "arcsinh": "x", "arccosh": "x", "arctanh": "x", "sin": "x", "cos": "x",
    "sinh": "x", "cosh": "x", "erf": "x", "gammaln": "x", "rcbrt": "x",
}  # fmt: skip


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradient_kernels_are_slopes(name, dtype):
    x = np.linspace(0.1, 0.9, 50) + (1 if name == "arccosh" else 0)
    step = 1e-6
    slope = (run(name, x + step) - run(name, x - step)) / (2 * step)
    saved = (x if GRADIENTS[name] == "x" else run(name, x)).astype(dtype)
    head = np.full(x.shape, 3, dtype)
    code, context = code_of(dtype), current_context()
    out = native.empty(x.shape, code, context)
    operands = [native.from_numpy(v, code, context) for v in (head, saved)]
    kernels.binary(f"{name}_grad_{GRADIENTS[name]}", *operands, out)
    tolerance = 2e-5 if dtype is np.float32 else 1e-7
    np.testing.assert_allclose(out.asnumpy(), 3 * slope, rtol=tolerance, atol=tolerance)
