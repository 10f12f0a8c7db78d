import json
from math import erf, sqrt

import numpy as np
import pytest

from opforge import autograd, cpu, nd, random, sym
from opforge.base.errors import AttributeValueError, DTypeError, OpforgeError, ShapeError

X = np.array([[-2.0, -0.5, 0.0, 0.5, 2.0], [-10.0, -1e-3, 1e-3, 1.0, 10.0]])
ALPHA, SCALE = 1.6732632423543772, 1.0507009873554805


def probability_below(x):
    """Return the standard normal distribution function."""
    return (1 + np.vectorize(erf)(x / sqrt(2))) / 2


def run(x, gamma=None, **attributes):
    """Return the result and the gradients of its sum with respect to data and slopes."""
    arrays = [nd.array(item, dtype="float64") for item in (x, gamma) if item is not None]
    for item in arrays:
        item.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(*arrays, **attributes)
    y.backward()
    return [y.asnumpy(), *(item.grad.asnumpy() for item in arrays)]


#: Attributes -> (function, derivative); at 0 the derivative is that of the negative side.
KINDS = [
    ({}, lambda x: np.where(x > 0, x, 0.25 * x), lambda x: np.where(x > 0, 1, 0.25)),
    *[
        (
            {"act_type": "leaky", "slope": slope},
            lambda x, s=slope: np.where(x > 0, x, s * x),
            lambda x, s=slope: np.where(x > 0, 1, s),
        )
        for slope in (0.0, 0.1, 1.5, -0.5)
    ],
    *[
        (
            {"act_type": "elu", "slope": slope},
            lambda x, s=slope: np.where(x > 0, x, s * np.expm1(x)),
            lambda x, s=slope: np.where(x > 0, 1, s * np.exp(x)),
        )
        for slope in (0.25, 1.0, 2.0)
    ],
    (
        {"act_type": "selu"},
        lambda x: SCALE * np.where(x > 0, x, ALPHA * np.expm1(x)),
        lambda x: SCALE * np.where(x > 0, 1, ALPHA * np.exp(x)),
    ),
    (
        {"act_type": "gelu"},
        lambda x: x * (1 + np.vectorize(erf)(x / sqrt(2))) / 2,
        lambda x: (
            (1 + np.vectorize(erf)(x / sqrt(2))) / 2 + x * np.exp(-x * x / 2) / sqrt(2 * np.pi)
        ),
    ),
]


@pytest.mark.parametrize(("attributes", "function", "derivative"), KINDS)
def test_values_and_gradients_including_zero(attributes, function, derivative):
    y, grad = run(X, **attributes)
    np.testing.assert_allclose(y, function(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(grad, derivative(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("data", "gamma", "spread"),
    [
        ((2, 5), (1,), (1, 1)),
        ((2, 5), (5,), (1, 5)),
        ((2, 5), (1, 5), (1, 5)),
        ((2, 5), (2,), (2, 1)),
        ((2, 3, 4), (3,), (1, 3, 1)),
        ((3, 3, 2, 2), (3,), (1, 3, 1, 1)),
        ((6,), (1,), (1,)),
        ((6,), (6,), (6,)),
    ],
)
def test_slopes_of_channels(data, gamma, spread):
    drawn = np.random.default_rng(2)
    x, slopes = drawn.standard_normal(data), drawn.uniform(0.1, 0.9, gamma)
    y, dx, dgamma = run(x, slopes, act_type="prelu")
    wide = slopes.reshape(spread)
    np.testing.assert_allclose(y, np.where(x > 0, x, wide * x))
    np.testing.assert_allclose(dx, np.where(x > 0, 1, wide + 0 * x))
    axes = tuple(axis for axis, size in enumerate(spread) if size == 1)
    total = np.minimum(x, 0).sum(axes) if axes else np.minimum(x, 0)
    np.testing.assert_allclose(dgamma, total.reshape(gamma), atol=1e-12)


def test_slopes_of_wrong_shape_are_rejected():
    for gamma in ((4,), (1, 3, 1)):
        with pytest.raises(ShapeError, match=r"gamma has shape .*data has shape \(2, 3, 4\)"):
            nd.LeakyReLU(nd.ones((2, 3, 4)), nd.ones(gamma), act_type="prelu")
    with pytest.raises(OpforgeError, match="'gamma' missing"):
        nd.LeakyReLU(nd.ones((2, 3)), act_type="prelu")


def test_random_slopes_in_training():
    random.seed(3)
    x = nd.full((4000,), -1.0)
    x.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(x, act_type="rrelu", lower_bound=0.2, upper_bound=0.6)
    y.backward()
    slopes = -y.asnumpy()
    assert slopes.min() >= 0.2 and slopes.max() < 0.6
    # Five standard deviations of the mean of a uniform distribution.
    assert abs(slopes.mean() - 0.4) < 5 * 0.4 / sqrt(12 * 4000)
    assert np.array_equal(x.grad.asnumpy(), slopes)


def test_prediction_uses_the_mean_slope():
    y = nd.LeakyReLU(nd.array(X), act_type="rrelu").asnumpy()
    np.testing.assert_allclose(y, np.where(X > 0, X, (0.125 + 0.334) / 2 * X), rtol=1e-6)


def test_symbol_with_random_slopes_follows_is_train():
    made = sym.LeakyReLU(sym.var("data"), act_type="rrelu")
    executor = made.simple_bind(cpu(), data=(50, 40))
    x = nd.full((50, 40), -1.0)
    executor.forward(is_train=True, data=x)
    slopes = -executor.outputs[0].asnumpy()
    executor.backward(nd.ones((50, 40)))
    assert slopes.std() > 0.05
    assert np.array_equal(executor.grad_dict["data"].asnumpy(), slopes)
    (y,) = executor.forward(is_train=False)
    np.testing.assert_allclose(y.asnumpy(), -(0.125 + 0.334) / 2, rtol=1e-6)


def test_infinite_values():
    x = nd.array([np.inf, -np.inf])
    assert nd.LeakyReLU(x).asnumpy().tolist() == [np.inf, -np.inf]
    assert nd.LeakyReLU(x, act_type="elu").asnumpy().tolist() == [np.inf, -0.25]
    assert nd.LeakyReLU(x, act_type="selu").asnumpy()[0] == np.inf


def test_symbols_match_mxnet():
    made = sym.LeakyReLU(sym.var("data"), act_type="leaky", slope=0.3, name="act")
    assert made.list_arguments() == ["data"]
    assert json.loads(made.tojson())["nodes"][1]["attrs"] == {"act_type": "leaky", "slope": "0.3"}
    made = sym.LeakyReLU(sym.var("data"), act_type="prelu", name="act")
    assert made.list_arguments() == ["data", "act_gamma"]
    assert made.infer_shape(data=(2, 3, 4)) == ([(2, 3, 4), (3,)], [(2, 3, 4)], [])
    assert made.attr_dict()["act_gamma"]["__init__"] == '["Constant", {"value": 0.25}]'


def test_invalid_arguments_are_rejected():
    with pytest.raises(AttributeValueError, match="'elu', 'gelu', 'leaky', 'prelu'"):
        nd.LeakyReLU(nd.ones((2,)), act_type="swish")
    with pytest.raises(AttributeValueError, match="expected at most upper_bound"):
        nd.LeakyReLU(nd.ones((2,)), act_type="rrelu", lower_bound=0.5, upper_bound=0.2)
    with pytest.raises(DTypeError, match="'data' has dtype int32; expected float32"):
        nd.LeakyReLU(nd.ones((2,), dtype="int32"))
    with pytest.raises(DTypeError, match="'data' has dtype int32; expected float32"):
        sym.LeakyReLU(sym.var("data")).infer_type(data="int32")
