"""Data movement against NumPy, on every element type and many shapes."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.base.dtypes import NAMES
from opforge.base.errors import ShapeError
from opforge.native.calls import movement

from ..arrays import array_of, integers, result


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize(
    "shape", [(), (5,), (37, 50), (3, 1, 17), (4, 33, 18), (0, 3), (2, 3, 4, 5)]
)
def test_transpose(dtype, shape):
    x = integers(shape, dtype)
    for axes in permutations(range(len(shape))):
        want = x.transpose(axes)
        np.testing.assert_array_equal(result(movement.transpose, want, array_of(x), axes), want)
    np.testing.assert_array_equal(result(movement.transpose, x.T, array_of(x)), x.T)


@settings(max_examples=100, deadline=None)
@given(
    shape=st.lists(st.integers(0, 9), min_size=0, max_size=3),
    reps=st.lists(st.integers(0, 4), min_size=0, max_size=4),
)
def test_tile(shape, reps):
    x = integers(shape)
    want = np.tile(x, reps)
    np.testing.assert_array_equal(result(movement.tile, want, array_of(x), tuple(reps)), want)


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("repeats", [0, 1, 3])
def test_repeat(dtype, axis, repeats):
    x = integers((3, 4, 5), dtype)
    want = np.repeat(x, repeats, axis)
    np.testing.assert_array_equal(result(movement.repeat, want, array_of(x), repeats, axis), want)


@pytest.mark.parametrize(
    ("shape", "target"),
    [((3, 1), (3, 4)), ((1,), (2, 3)), ((), (2,)), ((2, 1, 3), (5, 2, 4, 3)), ((1, 3), (0, 3))],
)
def test_broadcast_to(shape, target):
    x = integers(shape)
    want = np.broadcast_to(x, target)
    np.testing.assert_array_equal(result(movement.broadcast_to, want, array_of(x)), want)


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concat(dtype, axis):
    shapes = [[3, 4, 5], [3, 4, 5], [3, 4, 5]]
    for shape, n in zip(shapes, (2, 0, 7), strict=True):
        shape[axis] = n
    parts = [integers(s, dtype, i) for i, s in enumerate(shapes)]
    want = np.concatenate(parts, axis)
    out = array_of(np.zeros_like(want))
    movement.concat(tuple(map(array_of, parts)), out, axis)
    np.testing.assert_array_equal(out.asnumpy(), want)


def test_large_arrays_are_divided_among_threads():
    x = integers((700, 900))
    for axes in ((1, 0), (0, 1)):
        want = x.transpose(axes)
        np.testing.assert_array_equal(result(movement.transpose, want, array_of(x), axes), want)
    want = np.tile(x, (2, 3))
    np.testing.assert_array_equal(result(movement.tile, want, array_of(x), (2, 3)), want)


@pytest.mark.parametrize("req", ["write", "inplace", "add", "null"])
def test_each_request_and_overlap(req):
    x = integers((4, 4))
    out = array_of(x)
    movement.transpose(out, out, None, req)
    want = {"add": x + x.T, "null": x}.get(req, x.T)
    np.testing.assert_array_equal(out.asnumpy(), want)


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((2, 3), np.float32))
    with pytest.raises(ShapeError, match=r"transpose: 'out' has shape \(2, 3\), expected \(3, 2\)"):
        movement.transpose(x, x)
    with pytest.raises(ShapeError, match="not a permutation of the 2 axes"):
        movement.transpose(x, x, (0, 0))
    with pytest.raises(ShapeError, match=r"tile: 'out' has shape \(2, 3\), expected \(4, 3\)"):
        movement.tile(x, x, (2, 1))
    with pytest.raises(ShapeError, match="expected length 4 along axis 0"):
        movement.concat((x, x), x, 0)
    with pytest.raises(ShapeError, match="cannot be broadcast"):
        movement.broadcast_to(x, array_of(np.zeros((3, 3), np.float32)))


def test_repetitions_whose_product_overflows_are_rejected():
    x, out = array_of(np.zeros(4, "float32")), array_of(np.zeros(4, "float32"))
    with pytest.raises(ShapeError, match="expected"):
        movement.repeat(x, out, 2**62 + 1)


@pytest.mark.parametrize("inputs", [(None,), (1, 2)])
def test_concat_accepts_arrays_only(inputs):
    with pytest.raises(TypeError, match=r"inputs\[0\] is a \w+, expected an NDArray"):
        movement.concat(inputs, array_of(np.zeros((2, 2), "float32")))
