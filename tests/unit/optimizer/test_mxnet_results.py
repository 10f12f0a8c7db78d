"""Weights that MXNet 1.9.1 reaches in 25 steps; tests/oracle sweeps many more settings."""

import numpy as np
import pytest

import opforge as mx

ALL = {"learning_rate": 0.05, "wd": 0.1, "clip_gradient": 0.7, "rescale_grad": 0.25}
FACTOR = ("FactorScheduler", {"step": 4, "factor": 0.6, "base_lr": 0.3})

#: Optimizer, settings, storage of gradients, type, and the weights in the end.
REACHED = [
    (
        "nag",
        {**ALL, "momentum": 0.5},
        "default",
        "float32",
        [0.78451, 1.60759, -2.34651, 0.39778, -0.82144, 3.07362],
    ),
    (
        "nag",
        {**ALL, "momentum": 0.5},
        "default",
        "float16",
        [0.78467, 1.60742, -2.3457, 0.39795, -0.82129, 3.07422],
    ),
    (
        "nag",
        {**ALL, "momentum": 0.5},
        "row_sparse",
        "float32",
        [0.78451, 1.60759, -2.34651, 0.39778, -0.82144, 3.07362],
    ),
    (
        "nag",
        {"momentum": 0.9, "wd": 0.3},
        "default",
        "float64",
        [0.49495, 1.18446, -1.64792, 0.35824, -0.60823, 2.10154],
    ),
    ("nag", ALL, "row_sparse", "float32", [0.88942, 1.79387, -2.81478, 0.46784, -0.9095, 3.50049]),
    (
        "nag",
        {**ALL, "momentum": -0.5},
        "row_sparse",
        "float32",
        [0.88942, 1.79387, -2.65117, 0.43945, -0.9095, 3.50049],
    ),
    (
        "sgd",
        {**ALL, "momentum": -0.5},
        "default",
        "float32",
        [0.88942, 1.79387, -2.65117, 0.43945, -0.9095, 3.50049],
    ),
    (
        "sgd",
        {**ALL, "momentum": -0.5},
        "row_sparse",
        "float32",
        [0.88942, 1.79387, -2.81478, 0.46784, -0.9095, 3.50049],
    ),
    pytest.param(
        "lbsgd",
        {"momentum": -0.5, "learning_rate": 0.1},
        "default",
        "float32",
        [1.02929, 2.24134, -3.02822, 0.49892, -1.22197, 3.75132],
        marks=pytest.mark.plugins,
    ),
    (
        "adam",
        {"lr_scheduler": FACTOR},
        "default",
        "float32",
        [0.99834, 1.99975, -2.9985, 0.50191, -0.99956, 3.9975],
    ),
    (
        "rmsprop",
        {"lr_scheduler": FACTOR},
        "row_sparse",
        "float32",
        [0.99824, 1.99816, -2.99918, 0.50135, -0.99832, 3.99683],
    ),
]


def gradient(step):
    """Return one of shape (3, 2) whose middle row is 0 in every other step."""
    values = 3 * np.sin(np.arange(6).reshape(3, 2) + 1.7 * step)
    values[1] *= step % 2
    return values


@pytest.mark.filterwarnings("ignore:learning rate from ``lr_scheduler``")
@pytest.mark.parametrize(("name", "settings", "storage", "dtype", "expected"), REACHED)
def test_25_steps(name, settings, storage, dtype, expected):
    settings = {**settings, "multi_precision": dtype == "float16"}
    if "lr_scheduler" in settings:
        kind, arguments = settings["lr_scheduler"]
        settings["lr_scheduler"] = getattr(mx.lr_scheduler, kind)(**arguments)
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, **settings))
    weight = mx.nd.array([[1, 2], [-3, 0.5], [-1, 4]], dtype=dtype)
    for step in range(1, 26):
        updater(0, mx.nd.array(gradient(step), dtype=dtype).tostype(storage), weight)
    tolerance = 2e-3 if dtype == "float16" else 2e-5
    np.testing.assert_allclose(weight.asnumpy().ravel(), expected, tolerance, tolerance)


def test_second_step_of_nesterov_decays_by_the_new_weight():
    settings = {"learning_rate": 0.1, "momentum": 0.5, "wd": 0.1, "clip_gradient": 5.0}
    updater = mx.optimizer.get_updater(mx.optimizer.create("nag", **settings))
    weight = mx.nd.array([1.0, 2.0, -3.0])
    updater(0, mx.nd.array([10.0, -0.5, 0.1]), weight)
    updater(0, mx.nd.array([-20.0, 3.0, 0.3]), weight)
    np.testing.assert_allclose(weight.asnumpy(), [0.855888, 1.571712, -2.965525], atol=1e-6)
