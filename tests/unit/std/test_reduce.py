"""Special cases of reductions: all axes, nothing to reduce, integers, ties."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.base.errors import AttributeValueError, ShapeError


def test_all_axes_leave_one_element():
    x = nd.ones((2, 3))
    assert nd.sum(x).shape == nd.sum(x, axis=(0, 1)).shape == nd.argmax(x).shape == (1,)
    assert nd.sum(x, keepdims=True).shape == (1, 1)


def test_nothing_to_reduce():
    x = nd.zeros((0, 3))
    assert nd.sum(x, axis=0).asnumpy().tolist() == [0, 0, 0]
    assert nd.prod(x, axis=0).asnumpy().tolist() == [1, 1, 1]
    assert np.isnan(nd.mean(x, axis=0).asnumpy()).all()
    assert nd.sum(x, axis=1).shape == (0,)
    assert nd.norm(x, axis=0).asnumpy().tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "int64"])
def test_integers_are_accumulated_exactly(dtype):
    assert nd.norm(nd.array([3, 4], dtype=dtype)).asscalar() == 5
    assert nd.mean(nd.array([100, 120], dtype=dtype)).asscalar() == 110


@pytest.mark.parametrize("axis", [None, 1])
def test_the_gradient_of_a_norm_of_0(axis):
    x = nd.zeros((2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.norm(x, axis=axis)
    y.backward()
    assert not x.grad.asnumpy().any()


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_nothing_to_choose_from(name):
    choose = getattr(nd, name)
    for call in (lambda: choose(nd.zeros((0, 3)), axis=0), lambda: choose(nd.zeros((0, 3)))):
        with pytest.raises(ShapeError, match=rf"{name}.*has shape|{name}.*of shape \(0, 3\)"):
            call()
    assert choose(nd.zeros((0, 3)), axis=1).shape == (0,)
    assert choose(nd.zeros((2, 0, 3)), axis=2).shape == (2, 0)


def test_axes_that_do_not_exist():
    for name in ("sum", "mean", "argmax"):
        with pytest.raises(ShapeError, match="out of bounds for 2 dimensions"):
            getattr(nd, name)(nd.ones((2, 3)), axis=2)
    with pytest.raises(AttributeValueError, match="Invalid Parameter format for axis"):
        nd.sum(nd.ones(2), axis="all")


def test_norm_attributes():
    x = nd.array([[3, -4]])
    assert nd.norm(x).asscalar() == 5 and nd.norm(x, ord=1).asscalar() == 7
    assert nd.norm(x, 1, 1).asscalar() == 7  # ord comes before axis
    assert nd.norm(x, out_dtype="float64").dtype is np.float64
    with pytest.raises(AttributeValueError, match="ord"):
        nd.norm(x, ord=3)
    with pytest.raises(AttributeValueError, match="exclude"):
        nd.norm(x, exclude=True)


def test_gradient_of_the_norm_of_nothing_is_zero():
    x = nd.zeros(3)
    x.attach_grad()
    with autograd.record():
        y = nd.norm(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 0, 0]


def test_every_tie_gets_the_gradient():
    x = nd.array([1, 3, 3])
    x.attach_grad()
    with autograd.record():
        y = nd.max(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 1, 1]


def test_not_a_number():
    x = nd.array([[1, np.nan], [2, 3]])
    x.attach_grad()
    assert nd.nansum(x, axis=1).asnumpy().tolist() == [1, 5]
    assert nd.nanprod(x, axis=1).asnumpy().tolist() == [1, 6]
    assert np.isnan(nd.max(x).asscalar())
    for function in (nd.nansum, nd.nanprod):
        with autograd.record():
            y = function(x)
        y.backward()
        assert x.grad.asnumpy()[0, 1] == 0


def test_argmax_takes_the_first_of_equal_ones():
    x = nd.array([[1, 5, 5], [7, 7, 0]])
    assert nd.argmax(x, axis=1).asnumpy().tolist() == [1, 0]
    assert nd.argmin(nd.array([2, 1, 1]), axis=0).asscalar() == 1
    assert nd.argmax(x.astype("int32"), axis=1).dtype is np.int32


def test_argmax_channel_goes_along_the_second_axis():
    x = nd.array([[1, 5, 5], [7, 7, 0]])
    assert nd.argmax_channel(x).asnumpy().tolist() == [1, 0]
    cube = nd.array([[[1, 5, 5, 0], [7, 7, 0, 0]], [[2, 1, 2, 1], [1, 2, 1, 2]]])
    assert nd.argmax_channel(cube).asnumpy().tolist() == [[1, 1, 0, 0], [0, 1, 0, 1]]
    assert nd.argmax_channel(nd.zeros((2, 3, 4, 5))).shape == (2, 4, 5)
    with pytest.raises(ShapeError, match=r"'argmax_channel'.*axis 1"):
        nd.argmax_channel(nd.zeros((3,)))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
def test_excluding_every_axis_leaves_the_array(name):
    x = nd.array([1.0, -2.0, 3.0])
    assert getattr(nd, name)(x, axis=0, exclude=True).asnumpy().tolist() == [1, -2, 3]


@pytest.mark.parametrize(("ord", "want"), [(1, [[1, -1]]), (2, [[0.6, -0.8]])])
@pytest.mark.parametrize("hybridized", [False, True])
def test_the_gradient_of_a_norm_of_another_type(ord, want, hybridized):
    class Norm(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.norm(x, ord=ord, axis=1, out_dtype="float32")

    block = Norm()
    block.hybridize(hybridized)
    x = nd.array([[3.0, -4.0]], dtype="float16")
    x.attach_grad()
    with autograd.record():
        y = block(x)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float16)
    np.testing.assert_allclose(x.grad.asnumpy(), want, rtol=1e-3)
