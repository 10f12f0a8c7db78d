"""Reductions and statistics against NumPy."""

from typing import Any

import numpy as np
import pytest
from opforge_numpy import creation, statistics
from opforge_numpy import np as reductions
from opforge_numpy.arrays import ndarray
from opforge_numpy.promotion import name_of

from opforge import MXNetError, autograd
from opforge.base.numpy_semantics import set_np_default_dtype
from opforge.gluon import nn

SHAPES = ((), (0,), (3,), (2, 0, 3), (2, 3, 4))
AXES = {0: (None, ()), 1: (None, 0, -1), 3: (None, 0, 1, -1, (0, 2), (1, -1), (0, 1, 2), ())}
FLOATS = ("float32", "float64", "float16")
TYPES = (*FLOATS, "int32", "int64", "int8", "uint8", "bool")
RANDOM = np.random.default_rng(0)


def sample(shape: Any, dtype: str) -> Any:
    return np.asarray(RANDOM.uniform(0, 3, shape)).astype(dtype)


def function_of(name: str) -> Any:
    return getattr(statistics if name == "ptp" else reductions, name)


def assert_close(found: Any, expected: Any) -> None:
    assert type(found) is ndarray
    assert found.shape == np.shape(expected)
    tolerance = 5e-3 if name_of(found) == "float16" else 1e-6
    np.testing.assert_allclose(
        found.asnumpy().astype("float64"),
        np.asarray(expected).astype("float64"),
        rtol=tolerance,
        atol=tolerance,
    )


@pytest.mark.parametrize(
    "name", ["sum", "prod", "mean", "std", "var", "any", "all", "nansum", "nanprod"]
)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_reductions(name, dtype):
    ours, numpys = getattr(reductions, name), getattr(np, name)
    for shape in SHAPES:
        values = sample(shape, dtype)
        if "nan" in name and dtype in FLOATS:
            values[values > 2.5] = np.nan
        wide = values if name in ("any", "all") else values.astype("float64")
        for axis in AXES[len(shape)]:
            for keepdims in (False, True):
                found = ours(creation.array(values), axis, keepdims=keepdims)
                expected = numpys(wide, axis, keepdims=keepdims)
                if dtype == "int8" and name in ("sum", "prod", "nansum", "nanprod"):
                    expected = np.asarray(expected).astype("int64").astype("int8")
                if dtype == "uint8" and name in ("sum", "prod", "nansum", "nanprod"):
                    expected = np.asarray(expected).astype("int64").astype("uint8")
                assert_close(found, expected)
                assert name_of(found) == result_type(name, dtype)


def result_type(name: str, dtype: str) -> str:
    if name in ("any", "all"):
        return "bool"
    if name in ("mean", "std", "var"):
        return dtype if dtype in FLOATS else "float32"
    return "int64" if dtype == "bool" else dtype


@pytest.mark.parametrize("name", ["max", "min", "amax", "amin", "ptp"])
def test_extremes(agree, name):
    ours, numpys = function_of(name), getattr(np, name)
    for dtype in TYPES[: None if name != "ptp" else -1]:
        agree(ours, numpys, sample((), dtype))
        for axis in AXES[3]:
            agree(ours, numpys, sample((2, 3, 4), dtype), axis, keepdims=True)
            agree(ours, numpys, sample((2, 3, 4), dtype), axis)
    agree(ours, numpys, sample((2, 0, 3), "float32"), 0)
    for shape, axis in (((0,), None), ((2, 0, 3), 1), ((2, 0, 3), (0, 1))):
        with pytest.raises(ValueError, match="no elements"):
            ours(creation.zeros(shape), axis)
    agree(ours, numpys, np.array([1.0, np.nan]))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions(agree, name):
    ours, numpys = getattr(reductions, name), getattr(np, name)
    for dtype in TYPES:
        agree(ours, numpys, sample((), dtype))
        agree(ours, numpys, sample((3,), dtype), 0)
        for axis in (None, 0, 1, -1):
            agree(ours, numpys, sample((2, 3, 4), dtype), axis)
            agree(ours, numpys, sample((2, 3, 4), dtype), axis, keepdims=True)
    agree(ours, numpys, np.array([1.0, np.nan, 3.0]))
    with pytest.raises(ValueError, match="no elements"):
        ours(creation.zeros(0))


def test_axes_are_checked():
    x = creation.ones((2, 3))
    for axis in (2, -3, (0, 2)):
        with pytest.raises(ValueError, match="out of bounds"):
            reductions.sum(x, axis)
    with pytest.raises(ValueError, match="twice"):
        reductions.sum(x, (0, -2))
    assert reductions.sum(x, [0, 1]).item() == 6
    assert reductions.sum(x, np.int64(0)).shape == (3,)


def test_types_and_out(agree):
    values = sample((2, 3), "float32")
    for name in ("sum", "prod", "mean", "std", "var"):
        agree(getattr(reductions, name), getattr(np, name), values, dtype="float64")
    assert name_of(reductions.mean(creation.ones(3, dtype="int32"), dtype="int32")) == "int32"
    out = creation.zeros(3, dtype="float64")
    assert reductions.sum(creation.array(values), 0, out=out) is out
    np.testing.assert_allclose(out.asnumpy(), values.sum(0), rtol=1e-6)
    with pytest.raises(TypeError, match="cannot hold"):
        reductions.mean(creation.ones(3), out=creation.zeros((), dtype="int32"))


def test_initial_values_and_masks(agree):
    values = sample((2, 3), "float32")
    agree(reductions.sum, np.sum, values, initial=2)
    agree(reductions.prod, np.prod, values, initial=2)
    agree(reductions.sum, np.sum, values, where=values > 1)
    agree(reductions.prod, np.prod, values, axis=0, where=values > 1)


def test_default_types_of_numpy(agree):
    before = set_np_default_dtype(True)
    try:
        for name in ("sum", "prod", "mean", "std", "cumsum"):
            agree(getattr(reductions, name), getattr(np, name), np.ones(3, "int32"))
    finally:
        set_np_default_dtype(before)


def test_degrees_of_freedom(agree):
    values = sample((2, 3), "float64")
    for name in ("var", "std"):
        for axis in (None, 0, 1, (0, 1)):
            agree(getattr(reductions, name), getattr(np, name), values, axis, ddof=1)


def test_count_nonzero(agree):
    values = np.array([[0, 2, 1], [1, 0, 0]], "int32")
    agree(statistics.count_nonzero, np.count_nonzero, values, axis=1)
    assert statistics.count_nonzero(creation.array(values)) == 3


def rounded_cumsum(values, axis=None):
    """Return the sums rounded once to the type of the values; NumPy rounds float16 at each step."""
    wide = values.astype("float64") if values.dtype == "float16" else values
    sums = np.cumsum(wide, axis)
    return sums.astype("float16") if values.dtype == "float16" else sums


@pytest.mark.parametrize("dtype", TYPES)
def test_cumulative_sums(agree, dtype):
    for shape in ((), (0,), (3,), (2, 3, 4)):
        values = sample(shape, dtype)
        agree(reductions.cumsum, rounded_cumsum, values, types=dtype in (*FLOATS, "int64", "bool"))
    for axis in (0, 1, -1):
        agree(reductions.cumsum, rounded_cumsum, values, axis, types=dtype in (*FLOATS, "int64"))
    agree(reductions.cumsum, np.cumsum, values, axis=1, dtype="float64")
    agree(reductions.cumsum, np.cumsum, sample((2, 0, 3), dtype), 1, types=False)


# -- statistics ----------------------------------------------------------------------------------


def test_averages(agree):
    values, weights = sample((2, 3), "float64"), sample((2, 3), "float64")
    for axis in (None, 0, -1, (0, 1)):
        agree(statistics.average, np.average, values, axis)
        agree(statistics.average, np.average, values, axis, weights=weights, returned=True)
    agree(statistics.average, np.average, values, 1, weights=np.array([1.0, 2, 3]))
    integers = np.array([1, 2, 4], "int32")
    agree(statistics.average, np.average, integers, weights=integers, types=False)
    with pytest.raises(ValueError, match="2 weights, expected 3"):
        statistics.average(creation.array(values), 1, weights=creation.ones(2))


@pytest.mark.parametrize("rule", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles(rule):
    for dtype in ("float32", "float64", "int32"):
        for shape, axis in (((7,), None), ((2, 3, 4), 1), ((2, 3, 4), (0, 2)), ((), None)):
            values = sample(shape, dtype)
            for q in (0.3, 0, 1, [0.1, 0.5], [[0.2], [0.9]]):
                for keepdims in (False, True):
                    expected = np.quantile(
                        values.astype("float64"), q, axis, method=rule, keepdims=keepdims
                    )
                    found = statistics.quantile(
                        creation.array(values), q, axis, interpolation=rule, keepdims=keepdims
                    )
                    assert_close(found, expected)
                    assert name_of(found) == ("float32" if dtype == "int32" else dtype)


def test_percentiles_and_medians(agree):
    values = sample((2, 5), "float64")
    agree(statistics.percentile, np.percentile, values, 30)
    agree(statistics.percentile, np.percentile, values, np.array([5, 50]), axis=1)
    for axis in (None, 0, 1):
        agree(statistics.median, np.median, values, axis)
    for q in (-1, 101):
        with pytest.raises(ValueError, match="from 0 to 100"):
            statistics.percentile(creation.ones(2), q)
    with pytest.raises(ValueError, match="interpolation"):
        statistics.quantile(creation.ones(2), 0.5, interpolation="cubic")


def test_counts(agree):
    x = np.array([0, 3, 3, 1], "int64")
    agree(statistics.bincount, np.bincount, x)
    agree(statistics.bincount, np.bincount, x, minlength=6)
    agree(statistics.bincount, np.bincount, x, weights=np.array([1.0, 2, 3, 4]))
    assert name_of(statistics.bincount(creation.ones(2, dtype="int32"))) == "int32"
    with pytest.raises(ValueError, match="expected integers"):
        statistics.bincount(creation.ones(2))


def test_histograms(agree):
    values = sample((20,), "float64")
    agree(statistics.histogram, np.histogram, values)
    agree(statistics.histogram, np.histogram, values, 4, range=(0.5, 2))
    agree(statistics.histogram, np.histogram, values, np.array([0.0, 1, 3]))
    agree(statistics.histogram, np.histogram, values, 3, density=True)
    agree(statistics.histogram, np.histogram, values, 3, weights=values)


def test_differences(agree):
    for values in (sample((2, 3), "float32"), np.array([[1, 5, 2]], "int32"), np.ones((2, 0))):
        for n in (0, 1, 2, 5):
            for axis in (0, -1):
                agree(statistics.diff, np.diff, values, n, axis)
        agree(statistics.ediff1d, np.ediff1d, values)
    agree(statistics.diff, np.diff, np.array([True, False, False]))
    agree(statistics.diff, np.diff, np.arange(4.0), prepend=0, append=np.array([9.0, 1.0]))
    agree(statistics.ediff1d, np.ediff1d, np.arange(4.0), to_end=np.ones(2), to_begin=5)


# -- gradients -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["sum", "prod", "mean", "std", "var", "max", "min", "ptp", "nansum", "nanprod", "cumsum"],
)
def test_gradients_of_reductions(check_gradient, name):
    function = function_of(name)
    values = RANDOM.permutation(12).reshape(3, 4) / 5.0 + 0.5
    check_gradient(function, values)
    check_gradient(lambda x: function(x, axis=1), values)
    if name != "cumsum":
        check_gradient(lambda x: function(x, axis=(0, 1), keepdims=True), values)


def test_gradients_of_statistics(check_gradient):
    values = RANDOM.permutation(12).reshape(3, 4) / 5.0 + 0.5
    weights = RANDOM.uniform(1, 2, (3, 4))
    check_gradient(lambda x, w: statistics.average(x, 1, w), values, weights)
    check_gradient(lambda x: statistics.quantile(x, [0.3, 0.7], 1), values)
    check_gradient(lambda x: statistics.median(x), values)
    check_gradient(lambda x: statistics.diff(x, 2), values)
    check_gradient(lambda x: statistics.ediff1d(x), values)
    check_gradient(lambda x: reductions.std(x, 0, ddof=1), values)


def test_second_gradient_of_cumulative_sums():
    x = creation.array([1.0, 2.0, 3.0])
    x.attach_grad()
    with autograd.record():
        y = reductions.cumsum(x * x)
        (first,) = autograd.grad([y], [x], create_graph=True)
        z = first.sum()
    z.backward()
    assert x.grad.asnumpy().tolist() == [6, 4, 2]


@pytest.mark.parametrize(
    "name", ["sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "ptp", "argmax"]
)
def test_symbols(name):
    x = creation.array(sample((2, 3), "float64"))
    for options in ({}, {"axis": 1}, {"axis": -1, "keepdims": True}):
        block = nn.HybridLambda(lambda F, x, options=options: getattr(F.np, name)(x, **options))
        expected = block(x)
        block.hybridize()
        assert_close(block(x), expected.asnumpy())


def test_mean_in_a_narrower_type_has_a_gradient_in_the_wider_one():
    x = creation.arange(3)
    x.attach_grad()
    with autograd.record():
        y = reductions.mean(x, dtype="float16")
    y.backward()
    assert y.dtype == np.float16
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full(3, 1 / 3, "float32"))


@pytest.mark.parametrize("axis", [1, -2])
def test_positions_in_a_number_have_one_axis_at_most(axis):
    with pytest.raises(MXNetError, match="out of bounds"):
        reductions.argmax(creation.ones(()), axis)


def test_sums_in_a_narrower_type_are_rounded_once():
    x = np.full(2049, 1, "float32")
    x[0] = 0.25
    found = reductions.sum(creation.array(x), dtype="float16")
    assert found.dtype == np.float16 and found.item() == np.float16(x.sum())


@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_means_of_integers_in_a_type_of_integers(dtype):
    x = np.array([[100, 100, -7], [100, 27, 3]], "int8")
    found = reductions.mean(creation.array(x), axis=1, dtype=dtype)
    np.testing.assert_array_equal(found.asnumpy(), x.mean(axis=1, dtype=dtype))
