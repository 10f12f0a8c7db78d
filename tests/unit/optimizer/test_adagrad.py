import numpy as np
import pytest

from opforge import optimizer

SETTINGS = [{}, {"wd": 0.1, "clip_gradient": 0.4, "rescale_grad": 0.5}]


def rescaled(grad, settings):
    g = grad * settings.get("rescale_grad", 1)
    limit = settings.get("clip_gradient", np.inf)
    return np.clip(g, -limit, limit)


@pytest.mark.parametrize("settings", SETTINGS)
def test_adagrad(settings, follow):
    def rule(weight, grad, state, t):
        g = rescaled(grad, settings)
        state["h"] = state.get("h", 0) + g * g
        step = g / np.sqrt(state["h"] + 1e-7) + settings.get("wd", 0) * weight
        return weight - 0.1 * step

    follow(optimizer.AdaGrad(learning_rate=0.1, **settings), rule)


@pytest.mark.parametrize("settings", SETTINGS)
def test_adadelta(settings, follow):
    def rule(weight, grad, state, t):
        g = rescaled(grad, settings)
        state["g"] = 0.9 * state.get("g", 0) + 0.1 * g * g
        step = np.sqrt(state.get("s", 0) + 1e-5) / np.sqrt(state["g"] + 1e-5) * g
        state["s"] = 0.9 * state.get("s", 0) + 0.1 * step * step
        return weight - step - settings.get("wd", 0) * weight

    follow(optimizer.AdaDelta(**settings), rule)
