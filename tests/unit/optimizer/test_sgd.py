import numpy as np
import pytest

from opforge import optimizer

SETTINGS = [
    {},
    {"wd": 0.1},
    {"wd": 0.1, "clip_gradient": 0.4, "rescale_grad": 0.5},
    {"learning_rate": 0.3},
]


def gradient(weight, grad, lr=None, wd=0.0, clip_gradient=None, rescale_grad=1.0):
    g = grad * rescale_grad
    if clip_gradient:
        g = np.clip(g, -clip_gradient, clip_gradient)
    return g + wd * weight


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("settings", SETTINGS)
def test_sgd(settings, momentum, follow):
    lr = settings.get("learning_rate", 0.01)
    rest = {k: v for k, v in settings.items() if k != "learning_rate"}

    def rule(weight, grad, state, t):
        step = lr * gradient(weight, grad, **rest)
        state["m"] = momentum * state.get("m", 0) - step
        return weight + state["m"]

    follow(optimizer.SGD(momentum=momentum, **settings), rule)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("settings", SETTINGS)
def test_nag(settings, momentum, follow):
    lr = settings.get("learning_rate", 0.01)
    rest = {k: v for k, v in settings.items() if k != "learning_rate"}

    def rule(weight, grad, state, t):
        kept, step = momentum * state.get("m", 0), lr * gradient(weight, grad, **rest)
        moved = weight + momentum * (kept - step) - step
        state["m"] = kept - lr * gradient(moved, grad, **rest)
        return moved

    follow(optimizer.NAG(momentum=momentum, **settings), rule)
