"""Data movement against NumPy, on every element type and many shapes."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.base.context import cpu
from opforge.base.dtypes import CODES, NAMES
from opforge.base.errors import ShapeError
from opforge.native import array
from opforge.native.calls import movement


def array_of(values):
    values = np.asarray(values, order="C")
    return array.from_numpy(values, CODES[values.dtype.name], cpu())


def numbers(shape, dtype="float32", seed=0):
    return np.asarray(np.random.default_rng(seed).integers(0, 100, shape)).astype(dtype)


def result(function, want, *args, **kwargs):
    """Call `function` into memory that holds other values; return what it wrote."""
    out = array_of(np.full(want.shape, 3).astype(want.dtype))
    function(args[0], out, *args[1:], **kwargs)
    return out.asnumpy()


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize(
    "shape", [(), (5,), (37, 50), (3, 1, 17), (4, 33, 18), (0, 3), (2, 3, 4, 5)]
)
def test_transpose(dtype, shape):
    x = numbers(shape, dtype)
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
    x = numbers(shape)
    want = np.tile(x, reps)
    np.testing.assert_array_equal(result(movement.tile, want, array_of(x), tuple(reps)), want)


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("repeats", [0, 1, 3])
def test_repeat(dtype, axis, repeats):
    x = numbers((3, 4, 5), dtype)
    want = np.repeat(x, repeats, axis)
    np.testing.assert_array_equal(result(movement.repeat, want, array_of(x), repeats, axis), want)


@pytest.mark.parametrize(
    ("shape", "target"),
    [((3, 1), (3, 4)), ((1,), (2, 3)), ((), (2,)), ((2, 1, 3), (5, 2, 4, 3)), ((1, 3), (0, 3))],
)
def test_broadcast_to(shape, target):
    x = numbers(shape)
    want = np.broadcast_to(x, target)
    np.testing.assert_array_equal(result(movement.broadcast_to, want, array_of(x)), want)


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concat(dtype, axis):
    shapes = [[3, 4, 5], [3, 4, 5], [3, 4, 5]]
    for shape, n in zip(shapes, (2, 0, 7), strict=True):
        shape[axis] = n
    parts = [numbers(s, dtype, i) for i, s in enumerate(shapes)]
    want = np.concatenate(parts, axis)
    out = array_of(np.zeros_like(want))
    movement.concat(tuple(map(array_of, parts)), out, axis)
    np.testing.assert_array_equal(out.asnumpy(), want)


def test_large_moves_are_split_over_threads():
    x = numbers((700, 900))
    for axes in ((1, 0), (0, 1)):
        want = x.transpose(axes)
        np.testing.assert_array_equal(result(movement.transpose, want, array_of(x), axes), want)
    want = np.tile(x, (2, 3))
    np.testing.assert_array_equal(result(movement.tile, want, array_of(x), (2, 3)), want)


@pytest.mark.parametrize("req", ["write", "inplace", "add", "null"])
def test_each_request_and_overlap(req):
    x = numbers((4, 4))
    out = array_of(x)
    movement.transpose(out, out, None, req)
    want = {"add": x + x.T, "null": x}.get(req, x.T)
    np.testing.assert_array_equal(out.asnumpy(), want)


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((2, 3), np.float32))
    with pytest.raises(ShapeError, match=r"transpose: 'out' has shape \(2, 3\), expected \(3, 2\)"):
        movement.transpose(x, x)
    with pytest.raises(ShapeError, match="no permutation of 2 axes"):
        movement.transpose(x, x, (0, 0))
    with pytest.raises(ShapeError, match=r"tile: 'out' has shape \(2, 3\), expected \(4, 3\)"):
        movement.tile(x, x, (2, 1))
    with pytest.raises(ShapeError, match="expected length 4 along axis 0"):
        movement.concat((x, x), x, 0)
    with pytest.raises(ShapeError, match="cannot be broadcast"):
        movement.broadcast_to(x, array_of(np.zeros((3, 3), np.float32)))


def test_repetitions_whose_product_overflows_are_refused():
    x, out = array_of(np.zeros(4, "float32")), array_of(np.zeros(4, "float32"))
    with pytest.raises(ShapeError, match="expected"):
        movement.repeat(x, out, 2**62 + 1)


@pytest.mark.parametrize("inputs", [(None,), (1, 2)])
def test_concat_takes_arrays_alone(inputs):
    with pytest.raises(TypeError, match=r"inputs\[0\] is a \w+, expected an NDArray"):
        movement.concat(inputs, array_of(np.zeros((2, 2), "float32")))
