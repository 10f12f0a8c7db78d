import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.dtypes import code_of
from opforge.base.numpy_semantics import np_array, np_shape
from opforge.symbol.composition import expanding
from opforge.symbol.variable import typed_variable

pytest.importorskip("opforge_numpy")

X = np.array([[1, 5, 2], [4, 0, 3]], "float32")


def value(symbol):
    return symbol.eval(x=nd.array(X))[0].asnumpy()


@pytest.fixture
def x():
    return typed_variable("x", X.shape, code_of("float32"))


@pytest.mark.parametrize(
    "name",
    ["all", "any", "argmax", "argmin", "argsort", "cumsum", "max", "mean", "min", "prod", "ravel"]
    + ["squeeze", "std", "sum", "trace", "var", "diagonal"],
)
def test_methods_are_those_of_numpy(x, name):
    with np_shape(), np_array():
        np.testing.assert_allclose(value(getattr(x, name)()), getattr(X, name)(), rtol=1e-6)


def test_arguments_are_those_of_numpy(x):
    with np_shape(), np_array():
        np.testing.assert_array_equal(value(x.sum(axis=())), X)
        np.testing.assert_array_equal(value(x.clip(1, 2)), X.clip(1, 2))
        np.testing.assert_array_equal(value(x.dot(x.T)), X.dot(X.T))
        assert value(x.mean(axis=0, dtype="float64")).dtype == np.float64


def test_methods_of_mxnet_without_arrays_of_numpy(x):
    assert not hasattr(x, "cumsum")
    with pytest.raises(AttributeError, match="'Symbol' object has no attribute 'dot'"):
        x.dot(x)
    assert value(sym.var("x").sum()).shape == (1,)
    with np_shape(), np_array(), expanding():
        assert not hasattr(x, "cumsum")


def test_methods_of_the_class():
    assert "reduce" in sym.Symbol.sum.__doc__ or "sum" in sym.Symbol.sum.__doc__
    assert "np.cumsum" in sym.Symbol.cumsum.__doc__
