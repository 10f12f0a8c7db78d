"""Module.fit from equal parameters on equal data: same loss curve, and checkpoints both ways."""

import numpy as np
import pytest

import opforge
from opforge import nd, sym

from . import training
from .networks import perceptron

OPTIMIZERS = {
    "sgd": {"learning_rate": 0.2, "momentum": 0.9, "wd": 1e-3},
    "adam": {"learning_rate": 0.01},
}


@pytest.fixture
def problem(tmp_path):
    """Write data of three classes, and the initial parameters of both."""
    drawn = np.random.default_rng(0)
    y = drawn.integers(0, 3, 120)
    x = (drawn.normal(size=(120, 8)) + np.eye(3, 8)[y] * 2).astype(np.float32)
    data = {"x": x, "y": y.astype(np.float32)}
    np.savez(tmp_path / "data.npz", **data)
    symbol = perceptron(sym)
    shapes, _, _ = symbol.infer_shape(data=(20, 8))
    start = {
        f"arg:{name}": nd.array(drawn.normal(scale=0.3, size=shape))
        for name, shape in zip(symbol.list_arguments(), shapes, strict=True)
        if name not in ("data", "softmax_label")
    }
    nd.save(str(tmp_path / "start.params"), start)
    return data


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_loss_curve_is_mxnets(oracle, problem, tmp_path, optimizer):
    request = {
        "epochs": 6,
        "batch_size": 20,
        "optimizer": optimizer,
        "optimizer_params": OPTIMIZERS[optimizer],
    }
    theirs = oracle("fitting", request)
    ours, module = training.fit(
        opforge, perceptron(sym), request, problem, str(tmp_path / "start.params")
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
    assert ours[-1][0] < ours[0][0] / 2
    # MXNet's checkpoint gives the same outputs here.
    loaded = opforge.mod.Module.load(str(tmp_path / "from_mxnet"), request["epochs"])
    iterator = opforge.io.NDArrayIter(problem["x"], problem["y"], request["batch_size"])
    loaded.bind(iterator.provide_data, iterator.provide_label, for_training=False)
    expected = np.load(tmp_path / "outputs.npy")
    np.testing.assert_allclose(loaded.predict(iterator).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    module.save_checkpoint(str(tmp_path / "from_opforge"), request["epochs"])
    checkpoint = {"prefix": "from_opforge", **request}
    have = oracle("predicting", checkpoint)
    np.testing.assert_allclose(
        module.predict(iterator).asnumpy(), np.asarray(have), rtol=1e-4, atol=1e-5
    )
