"""Networks that were copied, pickled or sent to another process run and train."""

import copy
import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.gluon import nn

pytestmark = pytest.mark.plugins

X = nd.array(np.arange(15).reshape(3, 5) / 15)


def pickled(value):
    return pickle.loads(pickle.dumps(value))


copying = pytest.mark.parametrize("copied", [copy.deepcopy, pickled])


def run(net, *inputs):
    with autograd.record():
        loss = net(*inputs).sum()
    loss.backward()
    return loss.asscalar()


def made(hybrid):
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    net.initialize()
    if hybrid:
        net.hybridize()
    run(net, X)
    return net


def gradients(net):
    return [param.grad().asnumpy() for param in net.collect_params().values()]


@copying
@pytest.mark.parametrize("hybrid", [False, True])
def test_a_copy_trains_apart_from_the_original(copied, hybrid):
    net = made(hybrid)
    expected = gradients(net)
    other = copied(net)
    other.collect_params().zero_grad()
    run(other, X)
    for found, wanted in zip(gradients(other), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    before = net[0].weight.data().asnumpy()
    gluon.Trainer(other.collect_params(), "sgd", {"learning_rate": 1}).step(1)
    assert (other[0].weight.data().asnumpy() != before).any()
    np.testing.assert_array_equal(net[0].weight.data().asnumpy(), before)


@copying
def test_a_copy_keeps_gradient_request_and_freshness(copied):
    net = made(False)
    net.collect_params().setattr("grad_req", "add")
    run(net, X)
    expected = net[0].weight.grad().asnumpy() * 2
    other = copied(net)
    assert other[0].weight.data()._fresh_grad
    run(other, X)
    np.testing.assert_allclose(other[0].weight.grad().asnumpy(), expected, rtol=1e-6)


@copying
def test_shared_parameters_stay_shared_in_a_copy(copied):
    net = nn.HybridSequential()
    net.add(nn.Dense(5, in_units=5))
    net.add(nn.Dense(5, in_units=5, params=net[0].params))
    net.initialize()
    other = copied(net)
    assert other[0].weight is other[1].weight
    assert other[0].weight is not net[0].weight


@copying
def test_a_copied_trainer_trains_the_copied_network(copied):
    net = made(True)
    net[0].weight.lr_mult = 0
    trainer = gluon.Trainer(net.collect_params(), "adam")
    trainer.step(1)
    other, copied_trainer = copied((net, trainer))
    for each, its in ((net, trainer), (other, copied_trainer)):
        run(each, X)
        its.step(1)
    for param, wanted in zip(
        other.collect_params().values(), net.collect_params().values(), strict=True
    ):
        np.testing.assert_array_equal(param.data().asnumpy(), wanted.data().asnumpy())


@copying
def test_recurrent_layers_are_copied_after_a_call(copied):
    layer = gluon.rnn.LSTM(4)
    layer.initialize()
    layer.hybridize()
    data = nd.ones((2, 3, 5))
    expected = layer(data).asnumpy()
    np.testing.assert_array_equal(copied(layer)(data).asnumpy(), expected)


@copying
def test_symbol_blocks_are_copied_after_a_call(copied, tmp_path):
    made(True).export(str(tmp_path / "net"))
    block = gluon.SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), "data", str(tmp_path / "net-0000.params")
    )
    run(block, X)
    other = copied(block)
    np.testing.assert_array_equal(other(X).asnumpy(), block(X).asnumpy())
    other.collect_params().zero_grad()
    run(other, X)
    assert all(gradient.any() for gradient in gradients(other)[1:])


def record_call(block, *_):
    block.calls = getattr(block, "calls", 0) + 1


@copying
def test_hooks_of_a_copy_get_the_copy(copied):
    net = made(True)
    net.register_forward_hook(record_call)
    net(X)
    other = copied(net)
    other(X)
    assert (net.calls, other.calls) == (1, 2)


def train_in_child(net, trainer, results):
    run(net, X)
    trainer.step(1)
    results.put(net[0].weight.data().asnumpy())


def test_a_spawned_process_trains_its_argument(monkeypatch):
    # The child imports this module by its name.
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))
    net = made(True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    child = context.Process(target=train_in_child, args=(net, trainer, results))
    child.start()
    child.join(120)
    assert child.exitcode == 0
    run(net, X)
    trainer.step(1)
    np.testing.assert_allclose(results.get(), net[0].weight.data().asnumpy(), rtol=1e-6)
