"""The networks of the model zoo: MXNet's files, its results, and its training."""

import numpy as np
import pytest

import opforge as mx
from opforge.gluon import SymbolBlock
from opforge.gluon.model_zoo import vision

from .programs.zoo import train

NAMES = [
    "alexnet",
    *(f"densenet{layers}" for layers in (121, 161, 169, 201)),
    "inceptionv3",
    *(f"mobilenet{width}" for width in ("1.0", "0.75", "0.5", "0.25")),
    *(f"mobilenetv2_{width}" for width in ("1.0", "0.75", "0.5", "0.25")),
    *(f"resnet{layers}_v{v}" for layers in (18, 34, 50, 101, 152) for v in (1, 2)),
    "squeezenet1.0",
    "squeezenet1.1",
    *(f"vgg{layers}{suffix}" for layers in (11, 13, 16, 19) for suffix in ("", "_bn")),
]


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_mxnet(oracle, tmp_path, name):
    size = 299 if name == "inceptionv3" else 224
    answer = oracle("zoo", {"name": name, "size": size, "batch": 1, "steps": 0})
    x, wanted = mx.nd.array(np.load(tmp_path / "x.npy")), np.load(tmp_path / "result.npy")
    with mx.name.NameManager():  # which restarts the count, as MXNet's process of this test does
        net = vision.get_model(name, classes=10)
    net.load_parameters(str(tmp_path / "net.params"))
    assert list(net.collect_params()) == answer["names"]
    eager = net(x)
    net.hybridize()
    files = str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    for found in (eager, net(x), SymbolBlock.imports(*files)(x)):
        np.testing.assert_allclose(found.asnumpy(), wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", ["resnet18_v1", "mobilenetv2_0.25", "resnet18_v2"])
def test_training_is_that_of_mxnet(oracle, tmp_path, name, hybridized):
    answer = oracle("zoo", {"name": name, "size": 64, "batch": 16, "steps": 10})
    net = vision.get_model(name, classes=10)
    net.load_parameters(str(tmp_path / "net.params"))
    wanted = dict(np.load(tmp_path / "grads.npz"))
    if hybridized:
        net.hybridize()
    losses = train(mx, net, mx.nd.array(np.load(tmp_path / "x.npy")), 10, tmp_path)
    np.testing.assert_allclose(losses, answer["losses"], rtol=1e-6)
    for key, grad in np.load(tmp_path / "grads.npz").items():
        scale = max(np.abs(wanted[key]).max(), 1e-6)
        np.testing.assert_allclose(grad, wanted[key], atol=1e-6 * scale, err_msg=key)
