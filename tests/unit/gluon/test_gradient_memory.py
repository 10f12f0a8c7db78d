"""Gradients are allocated on first use, and loaded values are not stored twice."""

import copy
import pickle

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.gluon import nn
from opforge.native.memory.buffer import memory_stats

pytestmark = pytest.mark.plugins

SIDE = 512
WEIGHTS = 2 * SIDE * SIDE * 4


def network():
    net = nn.HybridSequential()
    for _ in range(2):
        net.add(nn.Dense(SIDE, in_units=SIDE, use_bias=False))
    return net


def live_bytes():
    return memory_stats()["live_bytes"]


def backward(net, x):
    with autograd.record():
        y = net(x)
    y.backward()


@pytest.fixture
def saved(tmp_path):
    net = network()
    net.initialize()
    path = str(tmp_path / "net.params")
    net.save_parameters(path)
    return path, [p.data().asnumpy() for p in net.collect_params().values()]


@pytest.mark.parametrize("state", ["new", "initialized", "from a dict", "imported"])
def test_a_loaded_network_holds_its_weights_once(saved, state, tmp_path):
    path, values = saved
    start = live_bytes()
    if state == "imported":
        exported = network()
        exported.load_parameters(path)
        exported.hybridize()
        exported(nd.ones((1, SIDE)))
        exported.export(str(tmp_path / "net"))
        del exported
        start = live_bytes()
        net = gluon.SymbolBlock.imports(
            str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
        )
    else:
        net = network()
        if state == "initialized":
            net.initialize()
        if state == "from a dict":
            net.initialize()
            names = [p.name for p in net.collect_params().values()]
            arrays = dict(zip(names, map(nd.array, values), strict=True))
            net.collect_params().load_dict(arrays)
            del arrays
        else:
            net.load_parameters(path)
    mx.release_pool()
    assert live_bytes() - start <= 1.25 * WEIGHTS
    for parameter, value in zip(net.collect_params().values(), values, strict=True):
        np.testing.assert_array_equal(parameter.data().asnumpy(), value)


def test_loading_keeps_no_memory_in_the_pool(saved):
    path, _ = saved
    net = network()
    net.initialize()
    mx.release_pool()
    net.load_parameters(path)
    assert memory_stats()["pool_bytes"] < WEIGHTS // 8


def test_a_dictionary_of_the_callers_is_copied():
    net = network()
    mine = {p.name: nd.ones((SIDE, SIDE)) for p in net.collect_params().values()}
    net.collect_params().load_dict(mine)
    for array in mine.values():
        array[:] = 7
    assert all((p.data().asnumpy() == 1).all() for p in net.collect_params().values())


def test_prediction_makes_no_gradients_and_training_does():
    net = network()
    net.initialize()
    start = live_bytes()
    net(nd.ones((1, SIDE))).wait_to_read()
    assert live_bytes() - start < WEIGHTS // 8
    backward(net, nd.ones((1, SIDE)))
    assert live_bytes() - start >= WEIGHTS


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("req", ["write", "add"])
def test_gradients_that_backward_makes(hybridize, req):
    layer = nn.Dense(1, in_units=3, use_bias=False)
    layer.initialize()
    layer.weight.grad_req = req
    if hybridize:
        layer.hybridize()
    for _ in range(2):
        backward(layer, nd.array([[1, 2, 3]]))
    times = 2 if req == "add" else 1
    assert layer.weight.grad().asnumpy().tolist() == [[times, 2 * times, 3 * times]]
    layer.weight.zero_grad()
    assert layer.weight.data().grad.asnumpy().tolist() == [[0, 0, 0]]


def test_zero_grad_clears_gradients_computed_before_access():
    weight = gluon.Parameter("weight", shape=(2,), init="ones", grad_req="add")
    weight.initialize()
    for _ in range(2):
        with autograd.record():
            y = weight.data() * 3
        weight.zero_grad()
        y.backward()
    assert weight.grad().asnumpy().tolist() == [3, 3]


def test_a_gradient_is_zeros_until_backward_and_stays_the_same_array():
    weight = gluon.Parameter("weight", shape=(2,), init="ones")
    weight.initialize()
    first = weight.grad()
    assert first.asnumpy().tolist() == [0, 0] and weight.data().grad is first
    with autograd.record():
        y = weight.data() * 3
    y.backward()
    assert weight.grad() is first and first.asnumpy().tolist() == [3, 3]


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("how", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_train_and_share_no_gradients(trained, how):
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(mx.init.One())
    if trained:
        backward(net, nd.array([[1, 2]]))
    other = how(net)
    if trained:
        assert other.weight.grad().asnumpy().tolist() == [[1, 2]]
    trainer = gluon.Trainer(other.collect_params(), "sgd", {"learning_rate": 1})
    backward(other, nd.array([[3, 4]]))
    trainer.step(1)
    assert other.weight.data().asnumpy().tolist() == [[-2, -3]]
    assert net.weight.data().asnumpy().tolist() == [[1, 1]]
    assert net.weight.grad().asnumpy().tolist() == ([[1, 2]] if trained else [[0, 0]])


def test_copies_of_an_untrained_network_have_no_gradients_in_memory():
    net = network()
    net.initialize()
    start = live_bytes()
    other = copy.deepcopy(net)
    assert WEIGHTS <= live_bytes() - start <= 1.25 * WEIGHTS
    assert other[0].weight.grad().shape == (SIDE, SIDE)


def test_cast_and_reset_ctx_leave_gradients_to_their_first_use():
    net = network()
    net.initialize()
    start = live_bytes()
    net.cast("float16")
    net.collect_params().reset_ctx(mx.cpu(1))
    assert live_bytes() - start <= 0
    parameter = net[0].weight
    assert parameter.grad(mx.cpu(1)).dtype == np.float16
    backward(net, nd.ones((1, SIDE), mx.cpu(1), "float16"))
    net.cast("float32")
    assert parameter.grad().dtype == np.float32 and parameter.grad().asnumpy().any()
