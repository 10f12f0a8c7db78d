"""The arrays of a parameter on one and on several contexts."""

import copy
import pickle

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, cpu, gluon, nd
from opforge.gluon.parameter_copies import contexts_of

from .parameters import TWO, made


def test_several_contexts_keep_equal_copies():
    param = made(shape=(2,), ctx=TWO)
    first, second = param.list_data()
    assert (first.context, second.context) == tuple(TWO)
    assert (first.asnumpy() == second.asnumpy()).all()
    assert param.data(mx.cpu(1)) is second
    assert param.data() is first
    with mx.cpu(1):
        assert param.data() is second
    assert [g.context for g in param.list_grad()] == TWO
    param.set_data(nd.array([7, 8]))
    assert param.data(mx.cpu(1)).asnumpy().tolist() == [7, 8]
    with pytest.raises(RuntimeError, match=r"not initialized on context cpu\(2\)"):
        param.data(mx.cpu(2))


def test_wrong_context():
    with pytest.raises(RuntimeError, match=r"only initialized on \[cpu\(0\)\]"):
        made(shape=(2,)).data(mx.cpu(1))


def test_contexts_as_a_list():
    assert contexts_of(None) == [mx.cpu(0)]
    assert contexts_of(mx.cpu(3)) == [mx.cpu(3)]
    assert contexts_of(TWO) == TWO


class Halved(gluon.Parameter):
    """Returns half of its value, as parameters of other packages drop elements."""

    def data(self, ctx=None):
        return self._check_and_get(self._data, ctx) / 2


class Scaled(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.w = self.params.get("w", shape=(2,), init="ones")

    def hybrid_forward(self, F, x, w):
        return F.broadcast_mul(x, w)


@pytest.mark.parametrize("hybridized", [False, True])
def test_overridden_parameter_data_is_used(hybridized):
    w = Halved("w", shape=(2,), init="ones")
    block = Scaled()
    block._reg_params["w"] = block.params._params["w"] = w
    block.initialize()
    block.hybridize(hybridized)
    for _ in range(2):
        assert block(nd.array([2.0, 4.0])).asnumpy().tolist() == [1.0, 2.0]


def test_init_hooks_are_called_once_with_the_first_values():
    seen = []

    def begin(param):
        seen.append(param.shape)
        param.data()[:] = 7

    param = gluon.Parameter("w", shape=(0, 2), allow_deferred_init=True)
    param.register_init_hook(begin)
    param.initialize(init="ones")
    assert seen == []
    param.shape = (3, 2)
    param._finish_deferred_init()
    assert seen == [(3, 2)] and (param.data().asnumpy() == 7).all()
    param.initialize(init="ones", force_reinit=True)
    assert seen == [(3, 2)] and (param.data().asnumpy() == 1).all()


def test_init_hooks_run_before_the_shape_inferring_pass():
    layer = gluon.nn.HybridLambda(lambda F, x: x)
    weight = layer.params.get("w", shape=(0,), allow_deferred_init=True, init="ones")
    weight.initialize()
    weight.register_init_hook(lambda param: param.set_data(nd.ones(2) * 3))
    with mx.autograd.record():
        weight._complete((2,))
    assert weight.data().asnumpy().tolist() == [3, 3]


def test_programs_replace_a_copy_by_a_computed_array():
    param = gluon.Parameter("w", shape=(2,))
    param.initialize("ones")
    assert param._ctx_map == [[], [0]]
    x = nd.array([3.0, 4.0])
    x.attach_grad()
    with autograd.record():
        param._data[param._ctx_map[1][0]] = x * 2
        y = (param.data() * 5).sum()
    y.backward()
    assert param.data().asnumpy().tolist() == [6, 8]
    assert x.grad.asnumpy().tolist() == [10, 10]
    param.set_data(nd.array([1.0, 2.0]))
    for same in (copy.copy(param), copy.deepcopy(param), pickle.loads(pickle.dumps(param))):
        assert same.data().asnumpy().tolist() == [1, 2]
        same._data[0] = nd.zeros(2)
        assert same.data().asnumpy().tolist() == [0, 0]
        assert param.data().asnumpy().tolist() == [1, 2]


def test_indices_of_copies_by_device():
    param = gluon.Parameter("w", shape=(2,))
    assert param._ctx_map == [[], []]
    param.initialize(ctx=[cpu(2), cpu(0)])
    assert param._ctx_map == [[], [1, None, 0]]


def test_a_saved_array_initializes_a_parameter():
    param = gluon.Parameter("w", shape=(0,), allow_deferred_init=True)
    param._load_init(nd.array([1.0, 2.0]), cpu())
    assert param.data().asnumpy().tolist() == [1, 2] and param.shape == (2,)
    param._load_init(nd.array([3, 4], dtype="float64"), cpu(), cast_dtype=True)
    assert param.data().asnumpy().tolist() == [3, 4] and param.dtype == np.float32
    with pytest.raises(AssertionError, match="shape incompatible"):
        param._load_init(nd.ones(3), cpu())
