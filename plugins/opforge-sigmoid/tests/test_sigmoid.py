import numpy as np
import pytest

from opforge import autograd, cpu, gluon, nd, sym
from opforge.base.errors import AttributeValueError, DTypeError
from opforge.testing import check_forward, check_gradients, check_requests

SHAPES = [[(4,)], [(3, 5)], [(2, 3, 4)], [(1,)], [(0,)], [(2, 0, 3)], [(70_000,)]]
X = [[-3.0, -0.5, 0.25, 2.0], [0.1, 1.0, -2.0, 4.0]]

REFERENCES = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "softrelu": lambda x: np.logaddexp(0, x),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanh": np.tanh,
}


@pytest.mark.parametrize("name", ["sigmoid", "relu", "softrelu", "softsign"])
def test_forward(name):
    count = check_forward(
        getattr(nd, name), REFERENCES[name], SHAPES, dtypes=["float16", "float32", "float64"]
    )
    assert count == 3 * len(SHAPES)


@pytest.mark.parametrize("name", ["sigmoid", "relu", "softrelu", "softsign"])
def test_gradients_of_two_orders_and_requests(name):
    check_gradients(getattr(nd, name), [X], order=2, rtol=1e-4)
    check_requests(getattr(nd, name), [X])


@pytest.mark.parametrize("act_type", sorted(REFERENCES))
def test_activation(act_type):
    def activation(x):
        return nd.Activation(x, act_type=act_type)

    assert check_forward(activation, REFERENCES[act_type], SHAPES) == 2 * len(SHAPES)
    check_gradients(activation, [X], order=2, rtol=1e-4)
    check_requests(activation, [X])


def test_hard_sigmoid_is_a_clipped_line():
    def line(x, alpha=0.2, beta=0.5):
        return np.clip(alpha * x + beta, 0, 1)

    assert check_forward(nd.hard_sigmoid, line, SHAPES) == 2 * len(SHAPES)
    check_gradients(nd.hard_sigmoid, [X], order=2, rtol=1e-4)
    check_requests(nd.hard_sigmoid, [X])
    steep = nd.hard_sigmoid(nd.array(X), alpha=3, beta=-1).asnumpy()
    np.testing.assert_allclose(steep, line(np.array(X), 3, -1), rtol=1e-6)
    with pytest.raises(DTypeError, match="int32; expected float32"):
        nd.hard_sigmoid(nd.array([1], dtype="int32"))


def test_symbol_of_hard_sigmoid():
    y = sym.hard_sigmoid(sym.var("x"), alpha=0.3, name="h")
    assert (y.list_arguments(), y.list_outputs()) == (["x"], ["h_output"])
    assert y.infer_shape(x=(2, 3)) == ([(2, 3)], [(2, 3)], [])
    assert (y + sym.var("z")).infer_shape(z=(2, 3))[0] == [(2, 3), (2, 3)]
    assert y.infer_type(x="float16") == ([np.float16], [np.float16], [])
    executor = y.simple_bind(cpu(), x=(4,))
    executor.forward(is_train=True, x=nd.array([-2, -1, 1, 2]))
    executor.backward(nd.array([1, 2, 3, 4]))
    np.testing.assert_allclose(executor.outputs[0].asnumpy(), [0, 0.2, 0.8, 1], atol=1e-6)
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), [0, 0.6, 0.9, 0], atol=1e-6)


@pytest.mark.parametrize("hybrid", [False, True])
def test_hard_sigmoid_at_and_beyond_its_bounds(hybrid):
    """As in MXNet, the gradient is 0 at the bounds and for NaN."""
    layer = gluon.nn.HybridLambda("hard_sigmoid")
    if hybrid:
        layer.hybridize()
    x = nd.array([-np.inf, -2.5, -2.0, 2.0, 2.5, np.inf, np.nan])
    x.attach_grad()
    with autograd.record():
        y = layer(x)
    y.backward()
    expected = [0, 0, np.float32(0.1), np.float32(0.9), 1, 1, np.nan]
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-6, atol=1e-7)
    slope = np.float32(0.2)
    np.testing.assert_array_equal(x.grad.asnumpy(), [0, 0, slope, slope, 0, 0, 0])


def test_activation_accepts_its_type_by_position_and_rejects_unknown_ones():
    assert nd.Activation(nd.array([-1.0, 1.0]), "relu").asnumpy().tolist() == [0, 1]
    with pytest.raises(AttributeValueError, match="'softrelu'"):
        nd.Activation(nd.ones((1,)), "swish")
    with pytest.raises(AttributeValueError, match="act_type"):
        nd.Activation(nd.ones((1,)))


def test_extreme_values():
    x = nd.array([-np.inf, -200.0, 200.0, np.inf])
    assert nd.sigmoid(x).asnumpy().tolist() == [0, 0, 1, 1]
    assert nd.softrelu(x).asnumpy().tolist() == [0, 0, 200, np.inf]
    assert np.isnan(nd.sigmoid(nd.array([np.nan])).asscalar())


def test_out_and_fluent_use():
    x, y = nd.array([0.0]), nd.zeros((1,))
    assert nd.sigmoid(x, out=y) is y
    assert y.asscalar() == 0.5
    assert x.sigmoid().asscalar() == 0.5


def test_layer():
    layer = gluon.nn.Activation("relu")
    assert repr(layer) == "Activation(relu)"
    assert layer.name.startswith("relu")
    x = nd.array([-1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = layer(x)
    y.backward()
    assert y.asnumpy().tolist() == [0, 2]
    assert x.grad.asnumpy().tolist() == [0, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: gluon.nn.Activation("rleu"),
        lambda: gluon.nn.Dense(3, activation="rleu"),
        lambda: gluon.nn.Conv2D(3, 3, activation="rleu"),
    ],
)
def test_unknown_activation_fails_in_the_constructor(make):
    pytest.importorskip("opforge_dense")
    pytest.importorskip("opforge_convolution")
    with pytest.raises(ValueError, match="Did you mean act_type='relu'"):
        make()


def test_nan_passes_through_relu():
    x = nd.array([np.nan, -1, 2])
    x.attach_grad()
    with autograd.record():
        y = nd.Activation(x, "relu")
    y.backward()
    assert np.isnan(y.asnumpy()).tolist() == [True, False, False]
    assert x.grad.asnumpy()[1:].tolist() == [0, 1]
