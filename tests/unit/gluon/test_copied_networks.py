"""Copies of networks: by deepcopy, by pickle, as argument of a spawned process."""

import copy
import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest

from opforge import autograd, gluon, nd, sym
from opforge.gluon import nn

COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda net: pickle.loads(pickle.dumps(net)),
}


def dense():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(2))
    return net, nd.array(np.arange(15).reshape(3, 5))


def convolutional():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.MaxPool2D(), nn.PReLU(), nn.Flatten(), nn.Dense(2))
    return net, nd.random.normal(shape=(2, 3, 8, 8))


def recurrent():
    net = nn.HybridSequential()
    net.add(nn.Embedding(9, 4), gluon.rnn.LSTM(3, layout="NTC"), nn.Dense(2))
    return net, nd.array([[1, 2, 3], [4, 5, 6]])


def imported():
    net, x = dense()
    net.initialize()
    net(x)
    output = net(sym.var("data"))
    return gluon.SymbolBlock(output, [sym.var("data")], net.collect_params()), x


NETWORKS = {f.__name__: f for f in (dense, convolutional, recurrent, imported)}
pytestmark = pytest.mark.plugins


def train(net, x):
    """Take a step; return the parameters after it."""
    trainer = gluon.Trainer(net.collect_params(), "adam")
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    trainer.step(1)
    return values(net)


def values(net):
    return [p.data().asnumpy() for p in net.collect_params().values()]


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("how", COPIES)
def test_copies_train_by_themselves(how, network, hybrid):
    net, x = NETWORKS[network]()
    if network != "imported":
        net.initialize()
    net.hybridize(hybrid)
    train(net, x)
    before = values(net)
    copied = COPIES[how](net)
    for parameter in copied.collect_params().values():
        if parameter.grad_req != "null":
            assert parameter.data().grad is parameter.grad()
    np.testing.assert_array_equal(copied(x).asnumpy(), net(x).asnumpy())
    after = train(copied, x)
    changed = [(a != b).any() for a, b in zip(after, before, strict=True)]
    assert sum(changed) >= len(changed) / 2
    for mine, old in zip(values(net), before, strict=True):
        np.testing.assert_array_equal(mine, old)


@pytest.mark.parametrize("how", COPIES)
def test_shared_parameters_stay_shared(how):
    net = nn.HybridSequential()
    first = nn.Dense(3, in_units=3)
    net.add(first, nn.Dense(3, in_units=3, params=first.params))
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 3)))
    copied = COPIES[how](net)
    assert copied[0].weight is copied[1].weight
    assert copied[0].weight is not first.weight


@pytest.mark.parametrize("how", COPIES)
def test_requests_and_frozen_parameters_are_kept(how):
    net = nn.Dense(2, in_units=2)
    net.initialize()
    net.weight.grad_req, net.bias.grad_req = "add", "null"
    copied = COPIES[how](net)
    for _ in range(2):
        with autograd.record():
            y = copied(nd.ones((1, 2))).sum()
        y.backward()
    assert copied.weight.grad().asnumpy().tolist() == [[2, 2], [2, 2]]
    assert net.weight.grad().asnumpy().tolist() == [[0, 0], [0, 0]]
    with pytest.raises(RuntimeError, match="grad_req='null'"):
        copied.bias.grad()


def test_a_shallow_copy_of_a_parameter_leaves_its_hooks():
    net = nn.Dense(1, in_units=1, use_bias=False)
    net.initialize()
    seen = []
    net.weight.register_grad_hook(lambda gradient: seen.append(gradient.asscalar()))
    copy.copy(net.weight)
    with autograd.record():
        y = net(nd.ones((1, 1)))
    y.backward()
    assert seen == [1]


def _train(net, x, answers):
    answers.put([a.tolist() for a in train(net, x)])


def test_a_spawned_process_trains_its_copy(monkeypatch):
    # The child imports this module by its name.
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))
    net, x = dense()
    net.initialize()
    net.hybridize()
    net(x)
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=_train, args=(net, x, answers))
    process.start()
    found = answers.get(timeout=120)
    process.join()
    assert process.exitcode == 0
    assert any((np.array(a) != b).any() for a, b in zip(found, values(net), strict=True))
