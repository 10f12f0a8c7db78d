"""Powers with general and special exponents, and the special cases of C99."""

from fractions import Fraction

import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.base.context import current_context
from opforge.base.dtypes import code_of
from opforge.native import array as native
from opforge.native import calls as kernels
from opforge.native.graph.fused import FusedStep
from opforge.native.graph.program import Program

from .test_math_accuracy import worst_ulp

#: Exponents with separate loops in the kernels.
PLAIN = [2, 3, 1, 0, 0.5, -0.5, -1, -2]
SPECIAL = [
    *(0.0, 1.0, 2.0, 3.0, 0.5, 1.5, np.inf, np.nan, 1e-45, 1e-40, 3e38, 1e9, 16777217, 8388607.5),
    *(1e-20, 1.0000001, 0.99999994, 33554431),
]
SPECIAL = np.array([*SPECIAL, *(-x for x in SPECIAL)], np.float32)
RNG = np.random.default_rng(3)


def spread(count):
    """Return float32 numbers with all exponents."""
    with np.errstate(all="ignore"):
        return RNG.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)


def power(base, exponent):
    code = code_of(base.dtype)
    arrays = [
        native.from_numpy(np.ascontiguousarray(v), code, current_context())
        for v in (base, exponent)
    ]
    out = native.empty(base.shape, code, current_context())
    kernels.binary("power", *arrays, out)
    return out.asnumpy()


def scalar_power(base, exponent):
    code = code_of(base.dtype)
    out = native.empty(base.shape, code, current_context())
    x = native.from_numpy(base, code, current_context())
    kernels.binary_scalar("power", x, exponent, out)
    return out.asnumpy()


def exact_power(base, exponent):
    """Return powers by float64 libm, avoiding NumPy's shortcuts for scalar exponents."""
    with np.errstate(all="ignore"):
        base = base.astype(np.float64)
        return np.power(base, np.broadcast_to(exponent, base.shape).astype(np.float64))


def worst(got, base, exponent):
    with np.errstate(all="ignore"):
        return worst_ulp(got, exact_power(base, exponent), got.dtype)


@pytest.mark.parametrize(
    ("base", "exponent"),
    [
        [v.ravel() for v in np.meshgrid(SPECIAL, SPECIAL)],
        (spread(100_000), spread(100_000)),
        (np.abs(spread(100_000)), RNG.normal(size=100_000).astype(np.float32)),
        (
            RNG.normal(size=100_000).astype(np.float32),
            RNG.integers(-40, 40, 100_000).astype(np.float32),
        ),
        RNG.normal(1, 1e-4, (2, 100_000)).astype(np.float32) * np.float32([[1], [1e5]]),
    ],
    ids=["special", "all exponents", "positive", "integer exponents", "near one"],
)
def test_float32_is_rounded_once(base, exponent):
    assert worst(power(base, exponent), base, exponent) <= 0.51


@pytest.mark.parametrize("exponent", [*PLAIN, 2.75, -3, 10, np.inf, -np.inf, np.nan])
def test_scalar_exponent_of_float32(exponent):
    base = np.concatenate([SPECIAL, spread(50_000), np.abs(spread(50_000))])
    limit = 1.5 if exponent == -0.5 else 0.51
    assert worst(scalar_power(base, exponent), base, exponent) <= limit


@pytest.mark.parametrize("exponent", PLAIN)
def test_scalar_exponent_of_float64(exponent):
    base = np.concatenate(
        [SPECIAL.astype(np.float64), RNG.normal(size=20_000), [1e-320, 1e200, -1e-160]]
    )
    assert worst(scalar_power(base, exponent), base, exponent) <= 2


@pytest.mark.parametrize("exponent", PLAIN)
def test_scalar_exponent_of_float16(exponent):
    base = RNG.integers(0, 2**16, 30_000, dtype=np.uint16).view(np.float16)
    base[np.isnan(base)] = np.nan  # no signaling NaN
    assert worst(scalar_power(base, exponent), base, exponent) <= 0.51


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, -1, -2, -3])
def test_integers_are_exact_and_truncate(dtype, exponent):
    base = np.array([0, 1, 2, 3, 200] if dtype == "uint8" else [-3, -1, 0, 1, 2, 9, 40000], dtype)
    exact = [int(Fraction(v) ** exponent) if v or exponent >= 0 else 0 for v in base.tolist()]
    wrapped = np.array([v % 2**64 for v in exact], np.uint64).astype(dtype)
    np.testing.assert_array_equal(scalar_power(base, exponent), wrapped)


def test_results_do_not_depend_on_neighbors():
    base, exponent = (
        np.abs(RNG.normal(size=3000)).astype(np.float32),
        RNG.normal(size=3000).astype(np.float32),
    )
    together = power(base, exponent)
    for begin, end in [(0, 1), (3, 10), (1, 3000), (2999, 3000), (7, 133)]:
        np.testing.assert_array_equal(
            power(base[begin:end], exponent[begin:end]), together[begin:end]
        )


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, 1.7])
def test_in_place_added_and_broadcast(exponent):
    base = np.abs(RNG.normal(size=(40, 200))).astype(np.float32)
    expected = scalar_power(base, exponent)
    x = nd.array(base)
    kernels.binary_scalar("power", x, exponent, x, req="inplace")
    np.testing.assert_array_equal(x.asnumpy(), expected)
    total = nd.ones(base.shape)
    kernels.binary_scalar("power", nd.array(base), exponent, total, req="add")
    np.testing.assert_array_equal(total.asnumpy(), 1 + expected)
    np.testing.assert_array_equal((nd.array(base) ** nd.array([exponent])).asnumpy(), expected)
    rows = nd.broadcast_power(nd.array(base), nd.array(np.full((40, 1), exponent, np.float32)))
    np.testing.assert_allclose(rows.asnumpy(), expected, rtol=2e-7)


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -0.5, -1, -2, 1, 0, 1.7])
@pytest.mark.parametrize("hybrid", [False, True])
def test_gradient(exponent, hybrid):
    base = np.linspace(0.5, 2, 700, dtype=np.float32)

    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return (x + 0) ** exponent * 3

    net = Net()
    if hybrid:
        net.hybridize()
    x = nd.array(base)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), 3 * exact_power(base, exponent), rtol=3e-7)
    slope = 3 * exponent * exact_power(base, exponent - 1)
    np.testing.assert_allclose(x.grad.asnumpy(), slope, rtol=5e-7)


@pytest.mark.parametrize("exponent", [-0.5, 1.7])
def test_fused_step_has_the_bits_of_the_operator(exponent):
    """The reciprocal square root is rounded twice, so its bits differ from those of `pow`."""
    x = nd.array(np.abs(RNG.normal(size=3000)))
    out = nd.zeros(x.shape)
    step = FusedStep(0, [("binary:power", 2, 1, 3)], 1, [exponent], 1, 1, [0], {})
    Program([(step, "power", [0], [1])], [x, out]).run(0, 1, False)
    np.testing.assert_array_equal(out.asnumpy(), (x**exponent).asnumpy())
    through_pow = power(x.asnumpy(), np.full(x.shape, exponent, np.float32))
    assert (out.asnumpy() == through_pow).all() == (exponent == 1.7)


def test_second_derivative_of_a_square():
    x = nd.array([1.0, -2.0])
    x.attach_grad()
    with autograd.record():
        slope = autograd.grad(x**2, x, create_graph=True, retain_graph=True)[0]
        total = (slope * slope).sum()
    total.backward()
    assert x.grad.asnumpy().tolist() == [8, -16]
