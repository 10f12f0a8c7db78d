"""Elements selected by index, and one-hot vectors, against NumPy."""

import numpy as np
import pytest

from opforge.base.dtypes import NAMES
from opforge.base.errors import ShapeError
from opforge.native.calls import picking

from ..arrays import array_of, integers


@pytest.mark.parametrize("dtype", NAMES)
def test_one_hot(dtype):
    index = np.array([[0, 2], [-1, 5], [4, 1]], np.float32)
    out = array_of(np.zeros((3, 2, 5), dtype))
    picking.one_hot(array_of(index), out, 1, 0)
    np.testing.assert_array_equal(out.asnumpy(), (index[..., None] == np.arange(5)).astype(dtype))
    picking.one_hot(array_of(index), out, 0, 1)
    np.testing.assert_array_equal(out.asnumpy(), (index[..., None] != np.arange(5)).astype(dtype))


def test_one_hot_without_indices_or_depth():
    around = array_of(np.full(4, 7, np.float32))  # memory around an empty result must not change
    for shape in [(0, 3), (2, 0)]:
        picking.one_hot(array_of(np.zeros(shape[0])), around._view(2, shape))
    assert around.asnumpy().tolist() == [7, 7, 7, 7]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_pick_and_its_gradient(axis, keepdims):
    x = integers((3, 4, 5))
    at = axis % 3
    index = np.random.default_rng(1).integers(-2, 7, [d for i, d in enumerate(x.shape) if i != at])
    clipped = np.expand_dims(np.clip(index, 0, x.shape[at] - 1), at)
    want = np.take_along_axis(x, clipped, at)
    grad = np.zeros_like(x)
    np.put_along_axis(grad, clipped, want, at)
    if keepdims:
        index = np.expand_dims(index, at)
    out = array_of(np.zeros(index.shape, np.float32))
    picking.pick(array_of(x), array_of(index.astype(np.float32)), out, axis)
    np.testing.assert_array_equal(out.asnumpy(), want.reshape(index.shape))
    back = array_of(x)
    picking.pick_grad(out, array_of(index), back, axis)
    np.testing.assert_array_equal(back.asnumpy(), grad)


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((3, 2), np.float32))
    with pytest.raises(ShapeError, match=r"one_hot: 'out' has shape \(3, 2\), expected \(2, 2\)"):
        picking.one_hot(array_of(np.array([0, 5])), x)
    with pytest.raises(ShapeError, match="pick: 'index'"):
        picking.pick(x, x, array_of(np.zeros((2, 2), np.float32)), 0)
