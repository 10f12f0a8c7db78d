"""Tests of arange_like, index_array, boolean_mask, index_copy and div_sqrt_dim."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd, sym, util
from opforge.base.errors import OpforgeError, ShapeError
from opforge.testing import check_gradients

X = np.arange(6.0).reshape(2, 3)


def test_arange_like_preserves_the_type():
    for dtype in ("float16", "float64", "int32"):
        result = nd.contrib.arange_like(nd.zeros((2, 3), dtype=dtype), start=1, repeat=4)
        assert result.dtype == np.dtype(dtype)
        assert result.asnumpy().tolist() == [[1, 1, 1], [1, 2, 2]]
    assert nd.contrib.arange_like(nd.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(ShapeError, match="axis 2 is out of range"):
        nd.contrib.arange_like(nd.zeros((2, 3)), axis=2)


def test_index_array_along_axes():
    assert nd.contrib.index_array(nd.zeros((2, 3)), axes=()).shape == (2, 3, 0)
    result = nd.contrib.index_array(nd.zeros((2, 3)), axes=(-1, 0))
    assert result.dtype == np.int64 and result.asnumpy()[1, 2].tolist() == [2, 1]


@pytest.mark.parametrize("axes", [None, 0, 1, (1, 0), (-1, -1), (0, 1, 0, 1), ()])
@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (2, 0), (4, 1)])
def test_index_array_of_repeated_axes_and_without_elements(shape, axes):
    expected = np.stack(np.indices(shape), axis=-1)
    if axes is not None:
        expected = expected[..., np.atleast_1d(axes).astype(int)]
    found = nd.contrib.index_array(nd.zeros(shape, dtype="float16"), axes=axes)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.asnumpy(), expected)


def test_index_array_of_scalars():
    with util.np_shape(True):
        assert nd.contrib.index_array(nd.zeros(())).shape == (0,)
    with pytest.raises(ShapeError, match=r"axis 2 is out of range for data of shape \(2, 3\)"):
        nd.contrib.index_array(nd.zeros((2, 3)), axes=(0, 2))


def test_index_array_has_no_gradient():
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = (nd.contrib.index_array(x, axes=(1,)).astype("float32") + x.expand_dims(2)).sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [[1] * 3] * 2


def test_hybridized_positions():
    class Positions(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.contrib.arange_like(x, axis=1), F.contrib.index_array(x)

    block = Positions()
    block.hybridize()
    for length in (3, 5):
        count, indices = block(nd.zeros((2, length)))
        assert count.asnumpy().tolist() == list(range(length))
        assert indices.shape == (2, length, 2)


def test_last_of_repeated_indices_wins():
    check_gradients(
        lambda old, new: nd.contrib.index_copy(old, nd.array([3, 0, 3]), new),
        [np.ones((4, 2)), np.arange(6.0).reshape(3, 2)],
    )
    result = nd.contrib.index_copy(nd.zeros((4, 1)), nd.array([3, 3]), nd.array([[1], [2]]))
    assert result.asnumpy().ravel().tolist() == [0, 0, 0, 2]
    same = nd.contrib.index_copy(nd.array(X), nd.zeros((0,)), nd.zeros((0, 3)))
    assert same.asnumpy().tolist() == X.tolist()


def test_invalid_rows_are_rejected():
    with pytest.raises(OpforgeError, match="index 4"):
        nd.contrib.index_copy(nd.zeros((4, 2)), nd.array([4]), nd.ones((1, 2)))
    for new in ((3, 2), (2, 3), (2,)):
        with pytest.raises(ShapeError, match="index_copy"):
            nd.contrib.index_copy(nd.zeros((4, 2)), nd.array([1, 0]), nd.ones(new))


def test_div_sqrt_dim():
    np.testing.assert_allclose(
        nd.contrib.div_sqrt_dim(nd.array(X)).asnumpy(), X / np.sqrt(3), rtol=1e-6
    )
    check_gradients(nd.contrib.div_sqrt_dim, [X])


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "int64", "int8", "uint8", "bool"])
def test_boolean_mask_of_every_type(dtype):
    x = nd.array(X.T, dtype=dtype)
    for index in (np.array([0, 1, 2]), np.array([False, True, True]), np.array([0, np.nan, -0.5])):
        result = nd.contrib.boolean_mask(x, nd.array(index, dtype=index.dtype))
        assert result.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(result.asnumpy(), x.asnumpy()[1:])


def test_boolean_mask_along_axes_and_of_empty_arrays():
    mask = nd.array([1, 0, 1])
    assert nd.contrib.boolean_mask(nd.array(X), mask, axis=-1).asnumpy().tolist() == [
        [0, 2],
        [3, 5],
    ]
    assert nd.contrib.boolean_mask(nd.array(X.T), nd.zeros(3)).shape == (0, 2)
    assert nd.contrib.boolean_mask(nd.zeros((0, 2)), nd.zeros(0)).shape == (0, 2)
    assert nd.contrib.boolean_mask(nd.zeros((3, 0)), mask).shape == (2, 0)
    assert nd.contrib.boolean_mask(nd.arange(3), mask).asnumpy().tolist() == [0, 2]


def test_boolean_mask_gradients():
    mask = nd.array([0, 1, 1], dtype="int32")
    check_gradients(lambda x: nd.contrib.boolean_mask(x, mask), [X.T], order=2)
    x = nd.array(X.T)
    x.attach_grad("add")
    for index, total in (([1, 0, 0], [1, 0, 0]), ([0, 0, 0], [1, 0, 0]), ([1, 0, 1], [2, 0, 1])):
        with autograd.record():
            y = nd.contrib.boolean_mask(x, nd.array(index))
        y.backward()
        assert x.grad.asnumpy()[:, 0].tolist() == total


@pytest.mark.parametrize("index", [(2,), (4,), (0,), (3, 1), (1, 3)])
def test_boolean_mask_rejects_index_of_wrong_shape(index):
    with pytest.raises(ShapeError, match=r"expected \(3,\), one element for each row"):
        nd.contrib.boolean_mask(nd.zeros((3, 2)), nd.ones(index))
    if 0 not in index:
        with pytest.raises(ShapeError, match=r"expected \(3,\), one element for each row"):
            sym.contrib.boolean_mask(sym.var("x"), sym.var("i")).infer_shape(x=(3, 2), i=index)
    with pytest.raises(ShapeError, match="out of range"):
        nd.contrib.boolean_mask(nd.zeros((3, 2)), nd.ones(3), axis=2)
