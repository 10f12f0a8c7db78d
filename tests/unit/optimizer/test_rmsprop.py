import numpy as np
import pytest

from opforge import optimizer


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("settings", [{}, {"wd": 0.1, "clip_gradient": 0.4}, {"clip_weights": 0.3}])
def test_rmsprop(settings, centered, follow):
    made = optimizer.RMSProp(learning_rate=0.01, centered=centered, gamma2=0.8, **settings)

    def rule(weight, grad, state, t):
        g = grad + settings.get("wd", 0) * weight
        if "clip_gradient" in settings:
            g = np.clip(g, -settings["clip_gradient"], settings["clip_gradient"])
        state["n"] = 0.9 * state.get("n", 0) + 0.1 * g * g
        if centered:
            state["g"] = 0.9 * state.get("g", 0) + 0.1 * g
            root = np.sqrt(state["n"] - state["g"] ** 2 + 1e-8)
            state["d"] = 0.8 * state.get("d", 0) - 0.01 * g / root
            weight = weight + state["d"]
        else:
            weight = weight - 0.01 * g / np.sqrt(state["n"] + 1e-8)
        limit = settings.get("clip_weights")
        return np.clip(weight, -limit, limit) if limit else weight

    follow(made, rule)
