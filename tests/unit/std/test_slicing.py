"""Slices as operators."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import AttributeValueError, ShapeError

VALUES = np.arange(20.0).reshape(4, 5)


def test_bounds_as_strings_and_numbers():
    x = nd.array(VALUES)
    assert nd.slice(x, begin="(1, None)", end="(3, -1)").shape == (2, 4)
    assert nd.slice(x, begin=1, end=2).shape == (1, 5)
    assert nd.slice_axis(x, axis=0, begin=-2, end=None).asnumpy().tolist() == VALUES[-2:].tolist()


def test_errors():
    x = nd.array(VALUES)
    with pytest.raises(ShapeError, match="step cannot be zero"):
        nd.slice(x, begin=(0,), end=(1,), step=(0,))
    with pytest.raises(ShapeError, match="do not fit"):
        nd.slice(x, begin=(0, 0, 0), end=(1, 1, 1))
    with pytest.raises(AttributeValueError, match="Required parameter end"):
        nd.slice_axis(x, axis=0, begin=0)
    with pytest.raises(ShapeError, match="fewer than 6"):
        nd.slice_like(x, nd.zeros((6, 5)))
    with pytest.raises(ShapeError, match="pass axes"):
        nd.slice_like(x, nd.zeros(3))
    with pytest.raises(ShapeError, match="'rhs' has shape"):
        nd._slice_assign(x, nd.zeros((1, 5)), begin=(0,), end=(2,))


def test_crop_assign_writes_into_out():
    x = nd.ones((2, 3))
    nd._internal._crop_assign(x, nd.zeros((2, 1)), begin=(0, 0), end=(2, 1), out=x)
    nd._internal._crop_assign_scalar(x, scalar=5, begin=(0, 2), end=(1, 3), out=x)
    assert x.asnumpy().tolist() == [[0, 1, 5], [0, 1, 1]]


@pytest.mark.parametrize(
    ("begin", "end"), [(2, 9), (-9, 3), (3, -9), (4, 2), (7, None), (6, 6), (0, -6), (-1, 0)]
)
def test_slice_axis_rejects_out_of_range_bounds(begin, end):
    x = nd.ones((2, 5))
    with pytest.raises(ShapeError, match=f"begin is {begin} and end {end}, .* axis 1, .* 5 elem"):
        nd.slice_axis(x, axis=-1, begin=begin, end=end)
    assert nd.slice(x, begin=(0, 2), end=(2, 9)).shape == (2, 3)


def test_slice_axis_may_take_all_or_nothing():
    x = nd.ones((2, 5))
    for begin, end, count in ((0, 5, 5), (-5, None, 5), (5, None, 0), (0, -5, 0), (3, 3, 0)):
        assert nd.slice_axis(x, axis=1, begin=begin, end=end).shape == (2, count)
    assert nd.slice_axis(nd.ones((2, 0)), axis=1, begin=0, end=0).shape == (2, 0)
