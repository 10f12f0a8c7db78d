import pytest

from opforge import nd
from opforge.gluon import nn


def double(x):
    return x * 2


def test_lambda():
    x = nd.array([4])
    assert nn.Lambda(double)(x).asscalar() == 8
    assert nn.Lambda("sqrt")(x).asscalar() == 2
    assert [repr(nn.Lambda(f)) for f in (double, "sqrt", len)] == [
        "Lambda(double)",
        "Lambda(sqrt)",
        "Lambda(len)",
    ]


def test_hybrid_lambda():
    x = nd.array([4])
    assert nn.HybridLambda(lambda F, x: F.square(x))(x).asscalar() == 16
    assert nn.HybridLambda("sqrt")(x).asscalar() == 2
    assert repr(nn.HybridLambda("sqrt")) == "HybridLambda(sqrt)"


@pytest.mark.parametrize("kind", [nn.Lambda, nn.HybridLambda])
def test_errors(kind):
    with pytest.raises(AssertionError, match="Function name no_such is not found"):
        kind("no_such")
    with pytest.raises(ValueError, match="Unrecognized function in lambda: 3"):
        kind(3)


def test_flatten_keeps_the_first_axis():
    layer = nn.Flatten()
    layer.hybridize()
    assert layer(nd.ones((2, 3, 4))).shape == (2, 12)
    assert repr(layer) == "Flatten"
