import numpy as np
import pytest

from opforge import autograd, gluon, initializer, nd

X = np.array([[-2.0, -0.5, 0.0, 0.5, 2.0]])


@pytest.mark.parametrize(
    ("layer", "text", "attributes"),
    [
        (gluon.nn.LeakyReLU(0.1), "LeakyReLU(0.1)", {"slope": 0.1}),
        (gluon.nn.ELU(), "ELU(", {"act_type": "elu", "slope": 1}),
        (gluon.nn.ELU(2.0), "ELU(", {"act_type": "elu", "slope": 2}),
        (gluon.nn.SELU(), "SELU(", {"act_type": "selu"}),
        (gluon.nn.GELU(), "GELU(", {"act_type": "gelu"}),
    ],
)
def test_layers_match_the_operator(layer, text, attributes):
    x = nd.array(X)
    assert np.array_equal(layer(x).asnumpy(), nd.LeakyReLU(x, **attributes).asnumpy())
    assert repr(layer).startswith(text)
    assert layer.name.startswith(type(layer).__name__.lower())
    assert not list(layer.collect_params())


def test_negative_slope_is_rejected():
    with pytest.raises(ValueError, match="alpha is -1; expected 0 or more"):
        gluon.nn.LeakyReLU(-1)


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_swish(beta):
    y = gluon.nn.Swish(beta)(nd.array(X)).asnumpy()
    np.testing.assert_allclose(y, X / (1 + np.exp(-beta * X)), rtol=1e-5, atol=1e-6)


def test_slopes_start_at_a_quarter_and_are_learned():
    layer = gluon.nn.PReLU(in_channels=5)
    layer.initialize()
    assert layer.alpha.name.endswith("_alpha")
    x = nd.array([[-1.0, -1.0, 1.0, -2.0, 0.0]])
    assert layer.alpha.data().asnumpy().tolist() == [0.25] * 5
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.5})
    with autograd.record():
        y = layer(x)
    y.backward()
    trainer.step(1)
    assert layer.alpha.data().asnumpy().tolist() == [0.75, 0.75, 0.25, 1.25, 0.25]
    assert gluon.nn.PReLU().alpha.shape == (1,)
    other = gluon.nn.PReLU(initializer.Zero())
    other.initialize()
    assert other(x).asnumpy().tolist() == [[0, 0, 1, 0, 0]]
