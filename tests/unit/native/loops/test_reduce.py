"""Reductions: every combination of kept and reduced axes, and sizes around those of a unit."""

import itertools

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES, dtype_of
from opforge.native import calls

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

SHAPE = (3, 1, 4, 2, 5)
ALL_AXES = [
    axes for count in range(len(SHAPE) + 1) for axes in itertools.combinations(range(5), count)
]
VALUES = np.random.default_rng(1).integers(-9, 10, SHAPE)


def reduce(name, x, axes, dtype=None):
    """Reduce over `axes`, or over all if empty, without keeping the reduced axes."""
    shape = tuple(n for i, n in enumerate(x.shape) if i not in axes) if axes else (1,)
    out = nd.zeros(shape or (1,), dtype=x.dtype if dtype is None else dtype)
    calls.reduce(name, nd.array(x, dtype=x.dtype), out, axes)
    return out.asnumpy()


@pytest.mark.parametrize("axes", ALL_AXES)
@pytest.mark.parametrize("name", ["sum", "max", "min"])
def test_every_combination_of_axes(name, axes):
    x = VALUES.astype(np.float32)
    expected = getattr(np, name)(x, axis=axes or None)
    np.testing.assert_array_equal(
        reduce(name, x, axes), np.reshape(expected, (-1,)).reshape(expected.shape or (1,))
    )


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((65537,), (0,)),
        ((2, 65536), (1,)),
        ((65536, 2), (0,)),
        ((1025, 513), (0,)),
        ((513, 1025), (1,)),
        ((3, 511, 129), (0, 2)),
        ((7, 129, 300), (1,)),
        ((200, 3, 200), (0, 2)),
        ((1, 200000), (0,)),
        ((100000, 1), (1,)),
    ],
)
def test_shapes_around_the_size_of_a_unit(shape, axes):
    x = np.random.default_rng(2).integers(-3, 4, shape).astype(np.int32)
    np.testing.assert_array_equal(
        reduce("sum", x, axes).reshape(-1), x.sum(axes, dtype=np.int32).reshape(-1)
    )
    np.testing.assert_array_equal(reduce("max", x, axes).reshape(-1), x.max(axes).reshape(-1))


def test_float32_sums_are_as_accurate_as_float64_rounded_once():
    x = np.random.default_rng(3).random((3, 100001), np.float32)
    for axes, expected in [((1,), x.sum(1, dtype=np.float64)), ((), x.sum(dtype=np.float64))]:
        np.testing.assert_allclose(reduce("sum", x, axes), expected, rtol=2e-7)


@pytest.mark.parametrize("dtype", DTYPES)
def test_neutral_elements_do_not_affect_results(dtype):
    x = np.full((3, 4), 1, dtype)
    for name in ("max", "min", "prod"):
        assert reduce(name, x, (1,)).tolist() == [1, 1, 1]
    if dtype in (np.int8, np.int32, np.int64):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        assert reduce("max", np.full((2, 3), low, dtype), (1,)).tolist() == [low, low]
        assert reduce("min", np.full((2, 3), high, dtype), (1,)).tolist() == [high, high]


@pytest.mark.parametrize("position", [0, 70000, 199999])
def test_nan_propagates_from_any_unit(position):
    x = np.ones(200000, np.float32)
    x[position] = np.nan
    for name in ("sum", "max", "min", "prod", "mean"):
        assert np.isnan(reduce(name, x, (0,))).all()
    assert reduce("nansum", x, (0,)).tolist() == [199999]
    assert reduce("nanprod", x, (0,)).tolist() == [1]


def test_integer_sums_wrap():
    x = np.full((2, 3), 2**62, np.int64)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(reduce("sum", x, (1,)), x.sum(1))


def test_empty_reductions():
    x = np.zeros((3, 0), np.float32)
    assert reduce("sum", x, (1,)).tolist() == [0, 0, 0]
    assert reduce("prod", x, (1,)).tolist() == [1, 1, 1]
    assert np.isnan(reduce("mean", x, (1,))).all()
    assert reduce("sum", x, (0,)).shape == (0,)
