"""Moving elements: rejected arguments, every element type."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError, ShapeError

DTYPES = ["float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_moves(dtype):
    values = np.arange(6).reshape(2, 3).astype(dtype)
    x = nd.array(values, dtype=dtype)
    pairs = [
        (nd.transpose(x), values.T),
        (nd.reverse(x, axis=1), values[:, ::-1]),
        (nd.concat(x, x, dim=0), np.concatenate([values, values])),
        (nd.stack(x, x), np.stack([values, values])),
        (nd.split(x, 3)[1], values[:, 1:2]),
    ]
    for have, want in pairs:
        assert have.dtype is values.dtype.type
        np.testing.assert_array_equal(have.asnumpy(), want)


def test_errors():
    x = nd.zeros((2, 3))
    with pytest.raises(ShapeError, match="not a permutation"):
        nd.transpose(x, axes=(0, 0))
    with pytest.raises(ShapeError, match=r"input number 1 has shape \(3, 3\)"):
        nd.concat(x, nd.zeros((3, 3)))
    with pytest.raises(ShapeError, match="axis 1 is out of bounds"):
        nd.concat(nd.zeros(2), nd.zeros(2))
    with pytest.raises(ShapeError, match=r"input number 1 has shape \(3,\)"):
        nd.stack(nd.zeros(2), nd.zeros(3))
    with pytest.raises(ShapeError, match="num_outputs=2"):
        nd.split(x, 2)
    with pytest.raises(ShapeError, match="squeeze_axis"):
        nd.split(x, 1, squeeze_axis=True)
    with pytest.raises((OpforgeError, ValueError)):
        nd.concat()


def test_split_returns_a_list_unless_it_is_one():
    x = nd.zeros((2, 4))
    assert isinstance(nd.split(x, 2), list) and isinstance(nd.split(x, 1), nd.NDArray)


def test_split_into_far_too_many_parts_is_rejected_at_once():
    with pytest.raises(
        OpforgeError, match=r"2147483648 for Parameter num_outputs exceed bound \[1,1048576\]"
    ):
        nd.split(nd.ones((2, 2)), num_outputs=2**31)


def test_gradient_of_one_part():
    x = nd.zeros((2, 4))
    x.attach_grad()
    with autograd.record():
        _, right = nd.split(x, 2)
    right.backward()
    assert x.grad.asnumpy().tolist() == [[0, 0, 1, 1]] * 2
