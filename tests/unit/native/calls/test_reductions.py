"""Reductions against float64 NumPy: every axis set, type and request; empty and odd shapes."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.base.errors import ShapeError
from opforge.native import calls

from ..arrays import array_of

REFERENCES = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "norm": lambda x, axis: np.sqrt(np.sum(x * x, axis=axis)),
    "norm1": lambda x, axis: np.sum(np.abs(x), axis=axis),
    "nansum": np.nansum,
    "nanprod": np.nanprod,
}
FLOATS = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-13}


def reduced(name, x, axes=(), dtype=None, old=None, req="write"):
    kept = tuple(d for i, d in enumerate(x.shape) if axes and i not in [a % x.ndim for a in axes])
    start = np.full(kept or (1,), 7) if old is None else old
    out = array_of(start.astype(dtype or x.dtype))
    calls.reduce(name, array_of(x), out, axes, req)
    return out.asnumpy()


def axis_sets(ndim):
    return [c for n in range(1, ndim + 1) for c in combinations(range(ndim), n)]


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(7,), (3, 5), (4, 1, 6), (3, 4, 2, 5), (2, 3, 4, 5, 6)])
def test_float_reductions_over_every_axis_set(name, dtype, shape):
    x = (np.random.default_rng(0).random(shape) * 0.1 + 0.95).astype(dtype)
    for axes in axis_sets(len(shape)):
        want = REFERENCES[name](x.astype(np.float64), axis=axes)
        got = reduced(name, x, axes).reshape(want.shape)
        np.testing.assert_allclose(got, want, rtol=FLOATS[dtype])


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "nansum", "nanprod"])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "int64"])
def test_integers_keep_their_type_and_wrap(name, dtype):
    info = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(info.min, info.max, (9, 70, 5), dtype=dtype)
    for axes in axis_sets(3):
        keyword = {} if name in {"max", "min"} else {"dtype": dtype}
        want = getattr(np, name)(x, axis=axes, **keyword)
        np.testing.assert_array_equal(reduced(name, x, axes).reshape(np.shape(want)), want)


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(0, 40), min_size=1, max_size=4),
    data=st.data(),
    name=st.sampled_from(["sum", "mean", "norm", "norm1"]),
)
def test_any_shape(shape, data, name):
    axes = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    got = reduced(name, x, axes)
    if name == "mean" and any(shape[a] == 0 for a in axes):
        assert np.isnan(got).all()
        return
    want = REFERENCES[name](x.astype(np.float64), axis=axes)
    np.testing.assert_allclose(got.reshape(want.shape), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((300_000,), ()),
        ((3, 200_000), (1,)),
        ((200_000, 3), (0,)),
        ((5, 40_000, 2), (1,)),
        ((70_000, 7), (1,)),
        ((30, 5, 3000), (0, 2)),
        ((300, 700, 3), (0,)),
        ((3, 700, 300), (1, 2)),
    ],
)
def test_large_inputs_are_divided_into_chunks(shape, axes):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for name in ("sum", "max", "min", "norm", "mean"):
        want = REFERENCES[name](x.astype(np.float64), axis=axes or None)
        got = reduced(name, x, axes).reshape(np.shape(want))
        np.testing.assert_allclose(got, want, rtol=3e-7, atol=1e-4 if name == "sum" else 1e-7)
        np.testing.assert_array_equal(got, reduced(name, x, axes).reshape(np.shape(want)))


def test_float32_sum_is_accurate():
    x = np.full(10_000_001, 0.1, np.float32)
    np.testing.assert_allclose(reduced("sum", x), x.sum(dtype=np.float64), rtol=6e-8)


@pytest.mark.parametrize("req", ["write", "inplace", "add", "null"])
def test_each_request(req):
    x, old = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones(3, np.float32)
    want = {"add": x.sum(1) + 1, "null": old}.get(req, x.sum(1))
    np.testing.assert_array_equal(reduced("sum", x, (1,), old=old, req=req), want)


def test_output_may_overlap_the_input():
    x = np.arange(12, dtype=np.float32)
    memory = array_of(x)
    calls.reduce("sum", memory._view(0, (3, 4)), memory._view(1, (3,)), (1,))
    np.testing.assert_array_equal(memory.asnumpy()[1:4], x.reshape(3, 4).sum(1))


def test_nan_and_infinity():
    x = np.array([[1, np.nan, 3], [np.inf, 1, -np.inf]], np.float32)
    np.testing.assert_array_equal(reduced("max", x, (1,)), [np.nan, np.inf])
    np.testing.assert_array_equal(reduced("min", x, (1,)), [np.nan, -np.inf])
    np.testing.assert_array_equal(reduced("max", x, (0,)), [np.inf, np.nan, 3])
    np.testing.assert_array_equal(reduced("nansum", x, (1,)), [4, np.nan])
    wide = np.zeros(1000, np.float32)
    wide[500] = np.nan
    assert np.isnan(reduced("max", wide))
    assert np.isnan(reduced("min", wide))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64"])
@pytest.mark.parametrize("length", [1, 3, 8, 31, 64, 200, 2047, 2048, 2100])
def test_extremes_of_rows_of_any_length(length, dtype):
    """Short rows are compared as integers, so test infinities and NaN of either sign."""
    x = (np.random.default_rng(length).normal(size=(20, length)) * 30).astype(dtype)
    if np.issubdtype(x.dtype, np.floating):
        x[3, length // 2], x[4, -1], x[5], x[6], x[7] = np.nan, -np.nan, -np.inf, -0.0, np.inf
    for name, reference in (("max", np.max), ("min", np.min)):
        np.testing.assert_array_equal(reduced(name, x, (1,)), reference(x, 1))


def test_empty_reductions():
    empty = np.zeros((0, 3), np.float32)
    np.testing.assert_array_equal(reduced("sum", empty, (0,)), [0, 0, 0])
    np.testing.assert_array_equal(reduced("prod", empty, (0,)), [1, 1, 1])
    np.testing.assert_array_equal(reduced("max", empty, (0,)), [-np.inf] * 3)
    assert np.isnan(reduced("mean", empty, (0,))).all()
    assert reduced("sum", empty, (1,)).shape == (0,)
    assert reduced("max", np.zeros((0, 2), np.int8), (0,)).tolist() == [-128, -128]
    assert reduced("sum", np.zeros((), np.float32) + 3).tolist() == [3]


@pytest.mark.parametrize("reps", [(2,), (2, 3), (3, 1, 2), (2, 1, 1, 2)])
def test_tile_grad(reps):
    x = np.zeros((2, 3, 4), np.float32)
    dy = np.random.default_rng(0).random(np.tile(x, reps).shape).astype(np.float32)
    out = array_of(x)
    calls.tile_grad(array_of(dy), out, reps)
    full = (1,) * (3 - len(reps)) + reps
    lead = (1,) * (len(full) - 3) + x.shape
    split = dy.reshape([n for pair in zip(full, lead, strict=True) for n in pair])
    want = split.sum(axis=tuple(range(0, 2 * len(full), 2)), dtype=np.float64).reshape(x.shape)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_repeat_grad(axis):
    shape = (2, 3, 4)
    dy = (
        np.random.default_rng(0)
        .random(np.repeat(np.zeros(shape), 5, axis).shape)
        .astype(np.float32)
    )
    out = array_of(np.zeros(24 if axis is None else shape, np.float32))
    calls.repeat_grad(array_of(dy), out, 5, axis)
    at = 0 if axis is None else axis % 3
    split = dy.reshape(*dy.shape[:at], -1, 5, *dy.shape[at + 1 :])
    np.testing.assert_allclose(out.asnumpy(), split.sum(axis=at + 1), rtol=1e-6)


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((2, 3), np.float32))
    with pytest.raises(ShapeError, match=r"sum: 'out' has shape \(2,\), expected \(3,\)"):
        calls.reduce("sum", x, array_of(np.zeros(2, np.float32)), (0,))
    with pytest.raises(ShapeError, match=r"axis 2 is not in \[-2, 2\)"):
        calls.reduce("sum", x, x, (2,))
    with pytest.raises(ShapeError, match="contain axis 1 twice"):
        calls.reduce("sum", x, x, (1, -1))
    with pytest.raises(ValueError, match="'median' is unknown"):
        calls.reduce("median", x, x)
    with pytest.raises(ShapeError, match="tile_grad: 'dy'"):
        calls.tile_grad(x, x, (2,))
