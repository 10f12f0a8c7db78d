"""Indices of extremes against NumPy: every type and axis, ties, NaN, and long axes in pieces."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES
from opforge.base.errors import ShapeError
from opforge.native import calls
from opforge.native.threads import parallel

from ..arrays import array_of


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argreduce(dtype, name):
    x = np.random.default_rng(0).integers(0, 5, (6, 7, 70)).astype(dtype)
    for axis in (0, 1, 2, -1, None):
        want = getattr(np, name)(x, axis=axis)
        out = array_of(np.zeros(np.shape(want) or (1,), np.float32))
        calls.argreduce(name, array_of(x), out, axis)
        np.testing.assert_array_equal(out.asnumpy().reshape(np.shape(want)), want)


def test_argreduce_returns_the_first_nan():
    x = np.array([[1, 5, 5], [np.nan, 9, np.nan]], np.float32)
    out = array_of(np.zeros(2, np.int64))
    calls.argreduce("argmax", array_of(x), out, 1)
    assert out.asnumpy().tolist() == [1, 0]
    with pytest.raises(ShapeError, match="no elements to choose from"):
        calls.argreduce("argmax", array_of(np.zeros((0, 2), np.float32)), out, 0)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((300_001,), 0),
        ((70_000, 3), 0),
        ((2, 70_001), 1),
        ((3, 70_001, 2), 1),
        ((2, 200, 700), 1),
        ((40, 9), 1),
        ((33, 128), 1),
        ((17, 129), 1),
        ((5, 8193), 1),
        ((16, 1), 1),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_ties_and_nan_in_every_code_path(shape, axis, dtype):
    rng = np.random.default_rng(4)
    x = rng.integers(-100, 101, shape).astype(dtype)
    inputs = [x]
    if dtype != "int8":
        with_nan = x.copy()
        with_nan[rng.random(shape) < 0.0002] = np.nan
        inputs.append(with_nan)
    for values in inputs:
        for name in ("argmax", "argmin"):
            want = getattr(np, name)(values, axis=axis)
            found = []
            for threads in (1, 2, 5):
                before = parallel.set_num_threads(threads)
                try:
                    out = nd.zeros(want.shape or (1,), dtype="int64")
                    calls.argreduce(name, array_of(values), out, axis)
                finally:
                    parallel.set_num_threads(before)
                found.append(out.asnumpy().reshape(want.shape))
            np.testing.assert_array_equal(found[0], want)
            np.testing.assert_array_equal(found[1], want)
            np.testing.assert_array_equal(found[2], want)


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((2, 3), np.float32))
    with pytest.raises(ShapeError, match=r"argmax: 'out' has shape \(3,\), expected \(2,\)"):
        calls.argreduce("argmax", x, array_of(np.zeros(3, np.float32)), 1)
    with pytest.raises(ShapeError, match=r"axis 2 is not in \[-2, 2\)"):
        calls.argreduce("argmax", x, x, 2)
    with pytest.raises(ValueError, match="'argmedian' is unknown"):
        calls.argreduce("argmedian", x, x)
