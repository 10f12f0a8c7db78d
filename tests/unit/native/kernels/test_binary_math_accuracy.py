"""Binary functions of float32, including gradients, against float64 NumPy."""

import numpy as np
import pytest

from opforge.base.context import current_context
from opforge.base.dtypes import code_of
from opforge.native import array as native
from opforge.native import calls as kernels

from .test_math_accuracy import worst_ulp

SPECIAL = np.array(
    [0, 1, 2, 0.5, 1.5, 3, np.inf, np.nan, 1e-45, 3e38, 1e9, 700, 1e5, 1e6, 1.0000001], np.float32
)
SPECIAL = np.concatenate([SPECIAL, -SPECIAL])
RNG = np.random.default_rng(11)


def remainder(a, b):
    r = np.fmod(a, b)
    y = np.where((r < 0) != (b < 0), r + b, r)
    return np.where(b == 0, 0, np.where(r == 0, np.copysign(0, b), y))


REFERENCES = {
    "arctan2": np.arctan2,
    "hypot": np.hypot,
    "mod": remainder,
    "sin_grad_x": lambda a, b: a * np.cos(b),
    "cos_grad_x": lambda a, b: -a * np.sin(b),
    "sinh_grad_x": lambda a, b: a * np.cosh(b),
    "cosh_grad_x": lambda a, b: a * np.sinh(b),
    "rcbrt_grad_x": lambda a, b: a * (1 / np.cbrt(b) / (-3 * b)),
    "erf_grad_x": lambda a, b: a * (2 / np.sqrt(np.pi) * np.exp(-b * b)),
}


def run(name, a, b):
    code, context = code_of(a.dtype), current_context()
    arrays = [native.from_numpy(np.ascontiguousarray(v), code, context) for v in (a, b)]
    out = native.empty(a.shape, code, context)
    kernels.binary(name, *arrays, out)
    return out.asnumpy()


def spread(count):
    """Return float32 numbers with all exponents."""
    return RNG.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)


def operands():
    a, b = (v.ravel() for v in np.meshgrid(SPECIAL, SPECIAL))
    normal = RNG.normal(size=(2, 50_000)).astype(np.float32) * 9
    return (
        np.concatenate([a, spread(100_000), normal[0]]),
        np.concatenate([b, spread(100_000), normal[1]]),
    )


@pytest.mark.parametrize("name", REFERENCES)
def test_float32_is_rounded_once(name):
    a, b = operands()
    if name in ("sinh_grad_x", "cosh_grad_x"):
        b = np.clip(b, -700, 700)  # float64 overflows beyond
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](a.astype(np.float64), b.astype(np.float64))
        assert worst_ulp(run(name, a, b), exact, np.float32) <= 0.51


@pytest.mark.parametrize("name", REFERENCES)
def test_elements_do_not_depend_on_neighbors(name):
    """Also next to rare arguments, for which libm is called."""
    a, b = RNG.normal(size=(2, 900)).astype(np.float32)
    alone = run(name, a, b)
    a[400], b[400], b[401] = 1e30, 1e20, 0
    others = np.delete(np.arange(900), [400, 401])
    np.testing.assert_array_equal(run(name, a, b)[others], alone[others])
    for begin, end in [(0, 1), (3, 10), (1, 300), (299, 300), (7, 133)]:
        np.testing.assert_array_equal(run(name, a[begin:end], b[begin:end]), alone[begin:end])


def test_remainders_of_large_quotients_are_exact():
    a = np.array([3e38, -3e38, 1e10, 2.0**60 - 2.0**36], np.float32)
    b = np.array([7, 7, 1e-3, 3], np.float32)
    expected = [remainder(float(x), float(y)) for x, y in zip(a, b, strict=True)]
    np.testing.assert_array_equal(run("mod", a, b), np.array(expected, np.float32))
