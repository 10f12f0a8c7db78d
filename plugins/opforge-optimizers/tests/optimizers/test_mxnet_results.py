"""Weights that MXNet 1.9.1 reaches in 25 steps; tests/oracle of the repository sweeps many more."""

import json
from pathlib import Path

import numpy as np
import pytest

from opforge import lr_scheduler, nd, optimizer, random

RESULTS = json.loads(Path(__file__).with_name("mxnet_results.json").read_text(encoding="utf-8"))
SHAPE = (6, 3)
#: Storage types of weight and gradient, and the element type.
FORMS = {
    "dense": ("default", "default", "float32"),
    "float64": ("default", "default", "float64"),
    "float16 copies": ("default", "default", "float16"),
    "rows": ("default", "row_sparse", "float32"),
    "rows of rows": ("row_sparse", "row_sparse", "float32"),
}


@pytest.mark.filterwarnings("ignore:learning rate from ``lr_scheduler``")
@pytest.mark.parametrize("row", RESULTS, ids=lambda row: f"{row['optimizer']}-{row['form']}")
def test_25_steps(row):
    settings, (weight_storage, gradient_storage, dtype) = dict(row["settings"]), FORMS[row["form"]]
    if "lr_scheduler" in settings:
        kind, arguments = settings["lr_scheduler"]
        settings["lr_scheduler"] = getattr(lr_scheduler, kind)(**arguments)
    settings["multi_precision"] = dtype == "float16"
    updater = optimizer.get_updater(optimizer.create(row["optimizer"], **settings))
    rng = np.random.RandomState(5)
    weight = nd.array(rng.normal(size=SHAPE), dtype=dtype).tostype(weight_storage)
    for step in range(25):
        gradient = rng.normal(size=SHAPE) * 2
        if gradient_storage == "row_sparse":
            gradient[rng.uniform(size=SHAPE[0]) < 0.5] = 0
        updater(0, nd.array(gradient, dtype=dtype).tostype(gradient_storage), weight)
        if step == 12:
            updater.set_states(updater.get_states(dump_optimizer=True))
    tolerance = 4e-3 if dtype == "float16" else 5e-5
    found = weight.asnumpy().astype("float64").ravel()
    expected = np.array(row["weights"], dtype=float)
    if row["optimizer"] == "adamax":  # MXNet divides 0 by 0 for rows that had no gradient yet
        assert np.isfinite(found).all()
        found, expected = found[np.isfinite(expected)], expected[np.isfinite(expected)]
    np.testing.assert_allclose(found, expected, tolerance, tolerance)


@pytest.mark.parametrize("settings", [{}, {"momentum": 0.9}], ids=["plain", "momentum"])
def test_lars_corrects_the_momentum_of_all_weights(settings):
    """The weights of a step may come in one call or in several."""
    falling = {"step": 1, "factor": 0.5, "base_lr": 0.4}
    trained = []
    for at_once in (True, False):
        scheduler = lr_scheduler.FactorScheduler(**falling)
        updater = optimizer.get_updater(
            optimizer.create("lars", eta=0.5, lr_scheduler=scheduler, **settings)
        )
        weights = [nd.array([1.0, 2.0]) for _ in range(5)]
        for _ in range(4):
            grads = [nd.array([0.5, -0.25]) for _ in weights]
            if at_once:
                updater(list(range(5)), grads, weights)
            else:
                for index, (grad, weight) in enumerate(zip(grads, weights, strict=True)):
                    updater(index, grad, weight)
        trained.append([weight.asnumpy() for weight in weights])
    for group in trained:
        for weight in group:
            np.testing.assert_allclose(weight, trained[0][0], rtol=1e-6)


@pytest.mark.parametrize("call", ["updater", "update", "update_multi_precision"])
@pytest.mark.parametrize("storage", ["default", "row_sparse"])
def test_ftrl_skips_rows_of_row_sparse_weights(storage, call):
    """Every element of a dense weight is recomputed from z and n, even with a zero gradient."""
    ftrl = optimizer.Ftrl(learning_rate=1.0)
    weight = nd.array([[1.0], [2.0]]).tostype(storage)
    grad = nd.array([[3.0], [0.0]]).tostype("row_sparse")
    if call == "updater":
        optimizer.get_updater(ftrl)(0, grad, weight)
    else:
        getattr(ftrl, call)(0, weight, grad, ftrl.create_state_multi_precision(0, weight))
    rest = 2.0 if storage == "row_sparse" else 0.0
    np.testing.assert_allclose(weight.asnumpy(), [[0.0], [rest]], atol=1e-6)


@pytest.mark.parametrize("name", ["dcasgd", "groupadagrad", "sgld"])
def test_limits_of_zero_do_not_clip(name):
    trained = []
    for limit in (None, 0.0, -1.0):
        random.seed(1)
        weight = nd.ones((2, 2))
        made = optimizer.create(name, learning_rate=0.1, clip_gradient=limit)
        optimizer.get_updater(made)(0, nd.ones((2, 2)), weight)
        trained.append(weight.asnumpy())
    np.testing.assert_array_equal(trained[0], trained[1])
    np.testing.assert_array_equal(trained[0], trained[2])


def test_lars_leaves_names_of_shifts_and_scales_alone():
    names = {0: "a_weight", 1: "a_bias", 2: "a_gamma"}
    lars = optimizer.LARS(learning_rate=0.1, eta=0.5, wd=0.1, param_idx2name=names)
    weights = [nd.array([3.0, 4.0]) for _ in names]
    updater = optimizer.get_updater(lars)
    updater([0, 1, 2], [nd.array([0.0, 1.0]) for _ in names], weights)
    np.testing.assert_allclose(weights[1].asnumpy(), [3.0, 3.9], rtol=1e-6)
    np.testing.assert_allclose(weights[2].asnumpy(), [3.0, 3.9], rtol=1e-6)
    rate = 0.1 * 0.5 * 5 / (1 + 0.1 * 5)
    np.testing.assert_allclose(weights[0].asnumpy(), [3 - rate * 0.3, 4 - rate * 1.4], rtol=1e-6)


def test_momentum_of_delayed_gradients():
    made = optimizer.DCASGD(momentum=0.5, learning_rate=0.1, lamda=0.0)
    weight = nd.array([1.0])
    updater = optimizer.get_updater(made)
    for _ in range(2):
        updater(0, nd.array([1.0]), weight)
    np.testing.assert_allclose(weight.asnumpy(), [1 - 0.1 - 0.15], rtol=1e-6)


def test_lans_follows_its_paper():
    made = optimizer.LANS(learning_rate=0.1, wd=0.1, clip_gradient=0.5, rescale_grad=-2.0)
    updater = optimizer.get_updater(made)
    rng = np.random.default_rng(3)
    w = rng.normal(size=(4, 3))
    weight, mean, var = nd.array(w), 0.0, 0.0
    for t in range(1, 6):
        grad = rng.normal(size=(4, 3))
        updater(0, nd.array(grad), weight)
        g = np.clip(-grad / np.linalg.norm(grad), -0.5, 0.5)
        mean, var = 0.9 * mean + 0.1 * g, 0.999 * var + 0.001 * g * g
        root = np.sqrt(var / (1 - 0.999**t)) + 1e-6
        ahead = mean / (1 - 0.9**t) / root + 0.1 * w
        now = g / root + 0.1 * w
        norm = np.linalg.norm
        w = w - 0.1 * norm(w) * (0.9 * ahead / norm(ahead) + 0.1 * now / norm(now))
    np.testing.assert_allclose(weight.asnumpy(), w, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "settings", "weight", "error", "message"),
    [
        ("signum", {"momentum": 0, "wd_lh": 0.1}, None, ValueError, "wd_lh is 0.1"),
        ("groupadagrad", {}, nd.ones(3), ValueError, "expected a matrix"),
        ("groupadagrad", {"wd": 0.1}, nd.ones((2, 2)), ValueError, "weight decay 0.1"),
    ],
)
def test_unsupported_settings_are_errors(name, settings, weight, error, message):
    with pytest.raises(error, match=message):
        made = optimizer.create(name, **settings)
        optimizer.get_updater(made)(0, weight, weight)
