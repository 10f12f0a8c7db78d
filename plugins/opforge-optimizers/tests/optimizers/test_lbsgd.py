"""`LBSGD`: the weights that MXNet 1.9.1 has after nine updates from the same numbers."""

import pickle

import numpy as np
import pytest

import opforge as mx
from opforge import nd, optimizer

_FALLING = mx.lr_scheduler.FactorScheduler
_CASES = {
    "linear": (
        {"momentum": 0.9, "wd": 0.01, "batch_scale": 2, "warmup_epochs": 1, "updates_per_epoch": 4},
        [0.70283085, -1.1786424, 1.1899596, -0.8435904, 0.10919034, -1.2300394],
    ),
    "lars": (
        {"warmup_strategy": "lars", "momentum": 0.5, "wd": 0.1, "batch_scale": 3},
        [1.2042112, -1.0594401, 0.8892176, -1.3404632, -0.26462278, -1.4934016],
    ),
    "lars at its bound": (
        {"warmup_strategy": "lars", "rescale_grad": 1e-4},
        [1.487554, -1.1182607, 0.84583044, -1.8608373, -0.6028223, -1.9144611],
    ),
    "power2": (
        {
            "warmup_strategy": "power2",
            "batch_scale": 2,
            "updates_per_epoch": 2,
            "warmup_epochs": 4,
            "clip_gradient": 0.5,
            "rescale_grad": 0.5,
        },
        [1.4588813, -1.081597, 0.87771183, -1.7219269, -0.4285873, -1.8433108],
    ),
    "sqrt": (
        {"warmup_strategy": "sqrt", "batch_scale": 4, "begin_epoch": 1, "updates_per_epoch": 2},
        [1.2180326, -1.2768456, 1.0035195, -1.5626798, -0.42944533, -1.588311],
    ),
    "none": (
        {"warmup_strategy": "none", "batch_scale": 2, "warmup_epochs": 1, "updates_per_epoch": 6},
        [1.4649436, -0.9888115, 0.9091051, -1.5625938, -0.16338485, -1.6782045],
    ),
    "a scheduler": (
        {"lr_scheduler": (2, 0.5, 0.2), "momentum": 0.9},
        [-1.4999919, -2.0263498, 1.0891744, 1.6823268, 1.7930353, -0.5916498],
    ),
    "halves": (
        {"momentum": 0.9, "batch_scale": 2, "multi_precision": True},
        [1.0263672, -1.1494141, 1.0273438, -1.2539062, -0.1706543, -1.5986328],
    ),
}


def made(settings):
    settings = dict(settings)
    if "lr_scheduler" in settings:
        step, factor, base = settings["lr_scheduler"]
        settings["lr_scheduler"] = _FALLING(step, factor, base_lr=base)
    else:
        settings["learning_rate"] = 0.1
    return optimizer.get_updater(optimizer.create("lbsgd", **settings))


@pytest.mark.parametrize("name", _CASES)
def test_weights_are_mxnets(name):
    """Also where the gradients are all computed into one array, and the optimizer is stored."""
    settings, wanted = _CASES[name]
    random = np.random.RandomState(3)
    gradients = [random.randn(2, 3).astype("float32") for _ in range(9)]
    half = settings.get("multi_precision", False)
    dtype, tolerance = ("float16", 1e-3) if half else ("float32", 1e-5)
    weight = nd.array(random.randn(2, 3), dtype=dtype)
    gradient = nd.zeros((2, 3), dtype=dtype)
    updater = made(settings)
    for step, values in enumerate(gradients):
        gradient[:] = nd.array(values)
        updater(0, gradient, weight)
        if step == 4:  # in the middle of a large batch
            updater.set_states(updater.get_states(dump_optimizer=True))
    found = weight.asnumpy().astype("float32").ravel()
    np.testing.assert_allclose(found, np.float32(wanted), rtol=tolerance)


def test_weights_gather_apart_and_gradients_stay():
    updater = made({"batch_scale": 2, "warmup_epochs": 0})
    assert not updater.optimizer.keeps_gradients
    first, second, gradient = nd.zeros(1), nd.zeros(1), nd.ones(1)
    updater([0, 1], [gradient, gradient], [first, second])
    updater(0, gradient, first)
    assert (first.asscalar(), second.asscalar(), gradient.asscalar()) == (
        pytest.approx(-0.2),
        0,
        1,
    )
    assert pickle.loads(pickle.dumps(updater.optimizer)).batch_scale == 2
