import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, init, nd
from opforge.base.numpy_semantics import np_shape
from opforge.gluon.parameter import is_known

from .parameters import TWO, made


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"shape": (5, 5)}, "Parameter w (shape=(5, 5), dtype=<class 'numpy.float32'>)"),
        ({"shape": 3, "dtype": "int32"}, "Parameter w (shape=(3,), dtype=int32)"),
        ({}, "Parameter w (shape=None, dtype=<class 'numpy.float32'>)"),
    ],
)
def test_repr(kwargs, text):
    assert repr(gluon.Parameter("w", **kwargs)) == text


def test_value_and_gradient():
    param = made(shape=(2, 3), init="ones")
    assert (param.data().asnumpy() == 1).all()
    assert (param.grad().asnumpy() == 0).all()
    with autograd.record():
        loss = (param.data() * 3).sum()
    loss.backward()
    assert (param.grad().asnumpy() == 3).all()
    assert param.grad() is param.data().grad or (param.data().grad.asnumpy() == 3).all()
    param.zero_grad()
    assert (param.grad().asnumpy() == 0).all()


def test_add_accumulates():
    param = made(shape=(1,), init="ones", grad_req="add")
    for _ in range(3):
        with autograd.record():
            loss = param.data() * 2
        loss.backward()
    assert param.grad().asscalar() == 6


def test_initializer_precedence():
    param = gluon.Parameter("w", shape=(1,), init="ones")
    param.initialize(default_init="zeros")
    assert param.data().asscalar() == 1
    param.initialize(init=init.Constant(5), default_init="zeros", force_reinit=True)
    assert param.data().asscalar() == 5
    bare = made(shape=(1000,))
    assert 0.06 < abs(bare.data().asnumpy()).max() <= 0.07


def test_a_name_does_not_decide():
    bias = gluon.Parameter("bias", shape=(50,))
    bias.initialize()
    assert (bias.data().asnumpy() != 0).any()


def test_initialize_twice_warns():
    param = made(shape=(1,), init="ones")
    before = param.data()
    with pytest.warns(UserWarning, match="'w' is already initialized, ignoring"):
        param.initialize()
    assert param.data() is before


@pytest.mark.parametrize("shape", [(0, 3), None])
def test_unknown_shape(shape):
    with pytest.raises(ValueError, match="Cannot initialize Parameter 'w' because it has invalid"):
        made(shape=shape)


def test_deferred():
    param = made(shape=(0, 3), allow_deferred_init=True, init="ones")
    with pytest.raises(gluon.DeferredInitializationError, match="initialization was deferred"):
        param.data()
    with pytest.raises(mx.MXNetError):
        param.grad()
    assert param.list_ctx() == [mx.cpu(0)]
    value = param._complete((2, 3))
    assert value is param.data()
    assert value.asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert param._complete((2, 3)) is value
    with pytest.raises(AssertionError, match="incompatible"):
        param._complete((4, 3))


def test_deferred_is_finished_by_set_data():
    param = made(shape=(0, 2), allow_deferred_init=True)
    param.set_data(nd.array([[1, 2]]))
    assert param.data().asnumpy().tolist() == [[1, 2]]
    assert param.grad().shape == (1, 2)


def test_uninitialised():
    param = gluon.Parameter("w", shape=(2,))
    for read in (param.data, param.grad, param.list_data, param.list_grad):
        with pytest.raises(RuntimeError, match="Parameter 'w' has not been initialized"):
            read()
    with pytest.raises(RuntimeError, match="has not been initialized"):
        param.list_ctx()
    with pytest.raises(ValueError, match="Cannot reset context for Parameter 'w'"):
        param.reset_ctx(mx.cpu(1))
    with pytest.raises(AssertionError, match="has not been initialized"):
        param.set_data(nd.ones((2,)))


def test_reset_ctx_takes_the_mean():
    param = made(shape=(1,), ctx=TWO, init="ones")
    param.data(mx.cpu(1))[:] = 3
    param.reset_ctx(mx.cpu(2))
    assert param.list_ctx() == [mx.cpu(2)]
    assert param.data().asscalar() == 2
    deferred = made(shape=(0,), allow_deferred_init=True)
    deferred.reset_ctx(TWO)
    assert deferred.list_ctx() == TWO


def test_grad_req():
    param = made(shape=(2,), init="ones")
    with pytest.raises(AssertionError, match="grad_req must be one of 'write', 'add', or 'null'"):
        param.grad_req = "often"
    param.grad_req = "null"
    with pytest.raises(RuntimeError, match="because grad_req='null'"):
        param.grad()
    with pytest.raises(RuntimeError, match="because grad_req='null'"):
        param.list_grad()
    param.grad_req = "write"
    assert param.grad().shape == (2,)
    assert made(shape=(2,), differentiable=False).grad_req == "null"


def test_shape_fills_unknown_dimensions_only():
    param = gluon.Parameter("w", shape=(0, 3))
    param.shape = (2, 3)
    assert param.shape == (2, 3)
    with pytest.raises(AssertionError, match=r"Expected shape \(3, 3\) is incompatible"):
        param.shape = (3, 3)
    with pytest.raises(AssertionError, match="incompatible"):
        param.shape = (2, 3, 1)


@pytest.mark.parametrize("unknown", [0, -1])
def test_unknown_dimensions_are_negative_with_shapes_of_numpy(unknown):
    param = gluon.Parameter("w", shape=(unknown, 3), allow_deferred_init=True)
    param.initialize()
    assert param.shape == (unknown, 3)
    with np_shape():
        assert param.shape == (-1, 3)
        assert repr(param).startswith("Parameter w (shape=(-1, 3)")
        assert param.var().attr("__shape__") == "(-1, 3)"
        with pytest.raises(ValueError, match=r"invalid shape: \(-1, 3\)"):
            gluon.Parameter("w", shape=(unknown, 3)).initialize()
        param.shape = (2, 3)
    assert param.shape == (2, 3)


def test_cast():
    param = made(shape=(2,), init="ones")
    param.cast("float16")
    assert param.data().dtype is np.float16
    assert param.grad().dtype is np.float16
    with autograd.record():
        loss = param.data() * 2
    loss.backward()
    assert param.grad().asnumpy().tolist() == [2, 2]
    param.dtype = "float64"
    assert param.data().dtype is np.float64


def test_a_gradient_may_be_row_sparse():
    param = gluon.Parameter("w", shape=(3, 1), grad_stype="row_sparse")
    param.initialize(init="ones")
    for _ in range(2):
        assert (param.grad().stype, param.data().stype) == ("row_sparse", "default")
        with autograd.record():
            loss = param.data() * nd.array([[0], [2], [0]])
        loss.backward()
        assert param.grad().indices.asnumpy().tolist() == [1]
        param.zero_grad()
        assert param.grad().data.shape == (0, 1)
        param.cast("float64")
        param.cast("float32")


def test_storage_types_are_mxnets():
    with pytest.raises(AssertionError, match="must be one of 'default', 'row_sparse', or 'csr'"):
        gluon.Parameter("w", grad_stype="coo")


def test_failed_initializer_leaves_nothing_behind():
    param = gluon.Parameter("w", shape=(2,), init=init.Xavier())
    with pytest.raises(ValueError, match="cannot be applied to vector w"):
        param.initialize()
    with pytest.raises(RuntimeError, match="has not been initialized"):
        param.data()


def test_known_shapes():
    assert is_known((1, 2))
    assert not is_known((1, 0))
    assert not is_known(None)
