import math

import numpy as np
import pytest

from opforge import nd, optimizer


@pytest.mark.parametrize(
    "settings",
    [{}, {"wd": 0.1}, {"wd": 0.1, "clip_gradient": 0.4, "rescale_grad": 0.5}, {"beta1": 0.5}],
)
def test_adam(settings, follow):
    made = optimizer.Adam(learning_rate=0.01, **settings)

    def rule(weight, grad, state, t):
        g = grad * settings.get("rescale_grad", 1) + settings.get("wd", 0) * weight
        if "clip_gradient" in settings:
            g = np.clip(g, -settings["clip_gradient"], settings["clip_gradient"])
        b1, b2 = settings.get("beta1", 0.9), 0.999
        state["m"] = b1 * state.get("m", 0) + (1 - b1) * g
        state["v"] = b2 * state.get("v", 0) + (1 - b2) * g * g
        lr = 0.01 * math.sqrt(1 - b2**t) / (1 - b1**t)
        return weight - lr * state["m"] / (np.sqrt(state["v"]) + 1e-8)

    follow(made, rule)


def test_default_rate():
    assert optimizer.create("adam").learning_rate == 0.001


@pytest.mark.parametrize("settings", [{}, {"wd": 0.3}, {"wd": 0, "clip_gradient": 0.4}])
def test_adamw(settings, follow):
    made = optimizer.AdamW(learning_rate=0.01, **settings)

    def rule(weight, grad, state, t):
        limit = settings.get("clip_gradient", np.inf)
        g = np.clip(grad, -limit, limit)
        state["m"] = 0.9 * state.get("m", 0) + 0.1 * g
        state["v"] = 0.999 * state.get("v", 0) + 0.001 * g * g
        lr = 0.01 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        decayed = weight * (1 - 0.01 * settings.get("wd", 0.01))
        return decayed - lr * state["m"] / (np.sqrt(state["v"]) + 1e-8)

    follow(made, rule)


def test_adamw_by_name_and_with_a_master_copy():
    made = optimizer.create("adamw", multi_precision=True, wd=0.5, learning_rate=0.1)
    weight, update = nd.ones(3, dtype="float16"), optimizer.get_updater(made)
    update(0, nd.zeros(3, dtype="float16"), weight)
    assert weight.asnumpy().tolist() == pytest.approx([0.95] * 3, abs=1e-3)


def test_the_decay_of_adamw_follows_the_multipliers_of_a_weight():
    made = optimizer.AdamW(learning_rate=0.1, wd=0.5, param_idx2name={0: "a_weight", 1: "a_bias"})
    for index, expected in ((0, 0.95), (1, 1.0)):
        weight = nd.ones(1)
        made.update(index, weight, nd.zeros(1), made.create_state(index, weight))
        assert weight.asscalar() == pytest.approx(expected)
