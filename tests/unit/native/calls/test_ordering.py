"""Sorting along an axis: values, indices, ties, NaN, and selection of a few elements."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.native import calls

DTYPES = ["float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool"]
RNG = np.random.default_rng(23)


def reference(x, axis, is_ascend):
    """Return the indices of a stable sort with NaN as the largest."""
    if is_ascend:
        return np.argsort(x, axis=axis, kind="stable")
    reverse = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(reverse, axis)


def random_values(shape, dtype):
    """Return numbers with ties; floats include both zeros, tiny numbers, infinities and NaN."""
    x = RNG.integers(-100, 100, shape).astype(dtype)
    if np.issubdtype(x.dtype, np.floating):
        x = (x / 8).astype(dtype)
        x[RNG.random(shape) < 0.3] *= 0
        special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-7, -1e-7], dtype)
        chosen = RNG.random(shape) < 0.1
        x[chosen] = RNG.choice(special, chosen.sum())
    elif x.itemsize > 1:
        x[RNG.random(shape) < 0.1] = np.iinfo(x.dtype).min
        x[RNG.random(shape) < 0.1] = np.iinfo(x.dtype).max
    return x


def sort(x, axis, is_ascend, count):
    shape = list(x.shape)
    shape[axis] = count
    source = nd.array(x, dtype=x.dtype)
    values, places = nd.zeros(shape, dtype=x.dtype), nd.zeros(shape, dtype="int64")
    calls.order(source, axis, is_ascend, values, places)
    return values.asnumpy(), places.asnumpy()


@pytest.mark.parametrize("is_ascend", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "axis", "count"),
    [
        ((200, 7), 1, 7),
        ((3, 500), 1, 500),
        ((3, 500), 1, 20),
        ((5, 64, 3), 1, 64),
        ((2, 300, 5), 1, 2),
        ((70, 40), 0, 70),
        ((40_000,), 0, 40_000),
        ((40_000,), 0, 1),
        ((900, 100), 1, 5),
    ],
)
def test_indices_and_values_match_a_stable_sort(shape, axis, count, dtype, is_ascend):
    x = random_values(shape, dtype)
    values, places = sort(x, axis, is_ascend, count)
    expected = np.take(reference(x, axis, is_ascend), np.arange(count), axis)
    np.testing.assert_array_equal(places, expected)
    chosen = np.take_along_axis(x, expected, axis)
    np.testing.assert_array_equal(
        values.view(np.uint8), np.ascontiguousarray(chosen).view(np.uint8)
    )


@pytest.mark.parametrize("is_ascend", [True, False])
def test_all_exponents(is_ascend):
    x = RNG.integers(0, 2**32, (2, 5000), dtype=np.uint32).view(np.float32)
    np.testing.assert_array_equal(sort(x, 1, is_ascend, 5000)[1], reference(x, 1, is_ascend))
    x = RNG.integers(0, 2**63, (2, 5000), dtype=np.uint64).view(np.float64)
    np.testing.assert_array_equal(sort(-x, 1, is_ascend, 9)[1], reference(-x, 1, is_ascend)[:, :9])


def test_worst_case_of_the_heap():
    x = np.arange(10_000, dtype=np.float32).reshape(2, 5000)
    np.testing.assert_array_equal(sort(x, 1, False, 100)[1], reference(x, 1, False)[:, :100])
    np.testing.assert_array_equal(sort(-x, 1, True, 100)[1], reference(-x, 1, True)[:, :100])


def test_requests_and_in_place_results():
    x = nd.array([[3, 1, 2]])
    places = nd.ones((1, 3))
    calls.order(x, 1, True, None, places, places_req="add")
    assert places.asnumpy().tolist() == [[2, 3, 1]]
    calls.order(x, 1, True, x, None, "null")
    assert x.asnumpy().tolist() == [[3, 1, 2]]
    calls.order(x, None, True, nd.zeros((3,)), None, "add")
    calls.order(x, 1, True, x, None)
    assert x.asnumpy().tolist() == [[1, 2, 3]]


def test_empty_arrays():
    around = nd.full((4,), 7)  # memory around an empty result must not change
    for shape in [(0, 3), (3, 0)]:
        empty = around._view(2, shape)
        calls.order(nd.zeros(shape), 1, True, empty, empty)
    assert around.asnumpy().tolist() == [7, 7, 7, 7]


def test_invalid_arguments():
    x = nd.zeros((2, 3))
    with pytest.raises(ShapeError, match=r"'values' has shape \(3, 2\), expected \(2, 2\)"):
        calls.order(x, 1, True, nd.zeros((3, 2)))
    with pytest.raises(ShapeError, match="axis 2"):
        calls.order(x, 2, True, x)
    with pytest.raises(DTypeError, match="'values' has dtype float64, expected float32"):
        calls.order(x, 1, True, nd.zeros((2, 3), dtype="float64"))
    with pytest.raises(TypeError, match="pass one or both"):
        calls.order(x, 1, True)
