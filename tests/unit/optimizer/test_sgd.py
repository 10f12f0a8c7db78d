import numpy as np
import pytest

from opforge import nd, optimizer

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
        before = momentum * state.get("m", 0)
        step = lr * gradient(weight, grad, **rest)
        moved = weight + momentum * (before - step) - step
        state["m"] = before - lr * gradient(moved, grad, **rest)
        return moved

    follow(optimizer.NAG(momentum=momentum, **settings), rule)


def test_nag_with_decay_has_the_weights_of_mxnet():
    update = optimizer.get_updater(
        optimizer.NAG(learning_rate=0.1, momentum=0.5, wd=0.1, clip_gradient=5.0)
    )
    weight = nd.array([1.0, 2.0, -3.0])
    for gradients in ([10.0, -0.5, 0.1], [-20.0, 3.0, 0.3]):
        update(0, nd.array(gradients), weight)
    np.testing.assert_allclose(weight.asnumpy(), [0.855888, 1.571712, -2.965525], rtol=1e-6)


def test_nag_without_momentum_skips_rows_that_the_gradient_lacks():
    update = optimizer.get_updater(optimizer.NAG(learning_rate=0.1, wd=0.1))
    weight = nd.array([[1.0], [3.0], [5.0]])
    update(0, nd.array([[1.0], [0.0], [2.0]]).tostype("row_sparse"), weight)
    np.testing.assert_allclose(weight.asnumpy(), [[0.89], [3.0], [4.75]], rtol=1e-6)


def test_arguments_by_position_are_those_of_mxnet():
    """The learning rate is passed by name."""
    sgd = optimizer.SGD(0.5, False)
    assert (sgd.momentum, sgd.lazy_update, sgd.lr) == (0.5, False, 0.01)
    assert (optimizer.NAG(0.5).momentum, optimizer.NAG(0.5).lr) == (0.5, 0.01)
    assert optimizer.AdaGrad(1e-3).float_stable_eps == 1e-3
