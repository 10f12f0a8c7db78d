"""Slices of arrays by begin and step against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.base.errors import DTypeError, ShapeError
from opforge.native.calls import slicing

from ..arrays import array_of, integers, result


@settings(max_examples=100, deadline=None)
@given(data=st.data(), shape=st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_slice_and_its_gradient_and_assignment(data, shape):
    x = integers(shape)
    keys = tuple(
        slice(
            data.draw(st.integers(0, n - 1)),
            data.draw(st.one_of(st.none(), st.integers(0, n))),
            data.draw(st.sampled_from([1, 2, -1, -3])),
        )
        for n in shape
    )
    ranges = [range(*k.indices(n)) for k, n in zip(keys, shape, strict=True)]
    begin, step = tuple(r.start for r in ranges), tuple(r.step for r in ranges)
    want = x[keys]
    np.testing.assert_array_equal(result(slicing.slice_array, want, array_of(x), begin, step), want)
    grad = np.zeros_like(x)
    grad[keys] = want
    np.testing.assert_array_equal(
        result(slicing.slice_grad, grad, array_of(want), begin, step), grad
    )
    filled, dst = x.copy(), array_of(x)
    filled[keys] = 7
    slicing.slice_assign(dst, 7, begin, step, want.shape)
    np.testing.assert_array_equal(dst.asnumpy(), filled)
    slicing.slice_assign(dst, array_of(want.astype(np.int32)), begin, step)
    np.testing.assert_array_equal(dst.asnumpy(), x)


def test_slice_assign_broadcasts():
    dst = array_of(np.zeros((4, 5), np.float32))
    slicing.slice_assign(dst, array_of(np.arange(3, dtype=np.float32)), (1, 2), (2, 1), (2, 3))
    want = np.zeros((4, 5))
    want[1::2, 2:] = [0, 1, 2]
    np.testing.assert_array_equal(dst.asnumpy(), want)


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_flip(axes):
    x = integers((3, 4, 5))
    want = np.flip(x, axes)
    np.testing.assert_array_equal(result(slicing.flip, want, array_of(x), axes), want)


def test_slices_whose_steps_overflow_are_rejected():
    x = array_of(np.arange(8, dtype="float32"))
    for step in (2**62, -(2**62), 2**63 - 1):
        with pytest.raises(ShapeError, match=r"exceed axis 0 of shape \(8,\)"):
            slicing.slice_array(x, array_of(np.zeros(5, "float32")), (0,), (step,))
    with pytest.raises(ShapeError, match="-1 elements"):
        slicing.slice_assign(x, 1.0, (0,), (1,), (-1,))


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((2, 3), np.float32))
    with pytest.raises(ShapeError, match="exceed axis 1"):
        slicing.slice_array(x, x, (0, 1), (1, 1))
    with pytest.raises(ShapeError, match="has a 0 at axis 0"):
        slicing.slice_array(x, x, (0, 0), (0, 1))
    with pytest.raises(DTypeError, match="'out' has dtype int32, expected float32"):
        slicing.flip(x, array_of(np.zeros((2, 3), np.int32)), (0,))
