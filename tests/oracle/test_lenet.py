"""The network of examples/lenet.py has MXNet's losses from the same parameters and images."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import opforge as mx
from opforge.gluon import nn

from .programs.lenet import train

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def lenet(monkeypatch):
    """The example as a module."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("lenet")


@pytest.fixture
def data(tmp_path):
    """Eight batches of noisy images of ten classes."""
    drawn = np.random.RandomState(0)
    label = drawn.randint(10, size=(8, 32))
    kinds = drawn.randn(10, 1, 28, 28)
    arrays = {"x": 2 * kinds[label] + drawn.randn(8, 32, 1, 28, 28), "label": label}
    np.savez(tmp_path / "data.npz", **arrays)
    return arrays


def build(lenet, folder):
    """Return the example's network, whose graph and first parameters are files for MXNet."""
    mx.random.seed(1)
    net = lenet.build_lenet()
    for layer in net:
        if isinstance(layer, nn.Dropout):
            layer._rate = 0  # MXNet would draw other masks
    net(mx.nd.zeros((1, 1, 28, 28)))
    net.export(str(folder / "net"))
    return net


@pytest.mark.parametrize(("dtype", "rtol"), [("float64", 1e-12), ("float32", 1e-5)])
def test_losses_of_plain_steps(oracle, tmp_path, lenet, data, dtype, rtol):
    net = build(lenet, tmp_path)
    # MXNet rounds learning rates to float32, which these are.
    request = {"dtype": dtype, "optimizer": "sgd", "rates": [2**-6, 2**-7]}
    wanted = oracle("lenet", request)
    losses = train(mx, net, data, **request)
    np.testing.assert_allclose(losses, wanted, rtol=rtol)
    assert losses[-1] < 0.8 * losses[0]


def test_losses_of_the_example(oracle, tmp_path, lenet, data):
    net = build(lenet, tmp_path)
    rates = [1e-3 * 0.6**epoch for epoch in range(2)]
    wanted = oracle("lenet", {"dtype": "float32", "optimizer": "adam", "rates": rates})
    batches = [(mx.nd.array(x), mx.nd.array(y)) for x, y in zip(*data.values(), strict=True)]
    losses = lenet.train(net, batches, batches[:1], len(rates))["loss"]
    # Adam's first steps have the size of the rate however small the gradient is: if it is close to
    # 0, rounding in float32 decides their direction.
    np.testing.assert_allclose(losses[0], wanted[0], rtol=1e-6)
    np.testing.assert_allclose(losses, wanted, rtol=1e-3)
    assert losses[-1] < 0.8 * losses[0]
