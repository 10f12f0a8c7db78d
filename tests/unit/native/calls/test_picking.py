"""Elements chosen by index, and ones put by index, against NumPy."""

import numpy as np
import pytest

from opforge.base.context import cpu
from opforge.base.dtypes import CODES, NAMES
from opforge.base.errors import ShapeError
from opforge.native import array
from opforge.native.calls import picking


def array_of(values):
    values = np.asarray(values, order="C")
    return array.from_numpy(values, CODES[values.dtype.name], cpu())


def numbers(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


@pytest.mark.parametrize("dtype", NAMES)
def test_one_hot(dtype):
    index = np.array([[0, 2], [-1, 5], [4, 1]], np.float32)
    out = array_of(np.zeros((3, 2, 5), dtype))
    picking.one_hot(array_of(index), out, 1, 0)
    np.testing.assert_array_equal(out.asnumpy(), (index[..., None] == np.arange(5)).astype(dtype))
    picking.one_hot(array_of(index), out, 0, 1)
    np.testing.assert_array_equal(out.asnumpy(), (index[..., None] != np.arange(5)).astype(dtype))


def test_one_hot_without_indices_or_depth():
    around = array_of(np.full(4, 7, np.float32))  # what lies beside an empty result stays as it is
    for shape in [(0, 3), (2, 0)]:
        picking.one_hot(array_of(np.zeros(shape[0])), around._view(2, shape))
    assert around.asnumpy().tolist() == [7, 7, 7, 7]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("held", [False, True])
def test_pick_and_its_gradient(axis, held):
    x = numbers((3, 4, 5))
    at = axis % 3
    index = np.random.default_rng(1).integers(-2, 7, [d for i, d in enumerate(x.shape) if i != at])
    clipped = np.expand_dims(np.clip(index, 0, x.shape[at] - 1), at)
    want = np.take_along_axis(x, clipped, at)
    grad = np.zeros_like(x)
    np.put_along_axis(grad, clipped, want, at)
    if held:
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
