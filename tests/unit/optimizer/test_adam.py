import math

import numpy as np
import pytest

from opforge import optimizer


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
