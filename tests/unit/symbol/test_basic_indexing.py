import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.dtypes import code_of
from opforge.base.errors import NotImplementedForSymbol
from opforge.base.numpy_semantics import np_array, np_shape
from opforge.symbol.basic_indexing import selected
from opforge.symbol.variable import typed_variable

X = np.arange(24, dtype="float32").reshape(2, 3, 4)


@pytest.fixture
def x():
    with np_shape(), np_array():
        yield typed_variable("x", X.shape, code_of("float32"))


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        slice(1, None),
        (slice(None), slice(1, 3)),
        (0, slice(None), 2),
        (Ellipsis, -1),
        (slice(None), None, 1),
        (None, Ellipsis, None),
        (slice(None, None, -1), 1),
        (1, 2, 3),
        (None, 1, 2, 3),
        Ellipsis,
        (),
    ],
    ids=str,
)
def test_as_of_arrays(x, key):
    found = selected(x, key)
    assert found.shape == X[key].shape
    np.testing.assert_array_equal(found.eval(x=nd.array(X))[0].asnumpy(), X[key])


@pytest.mark.parametrize(
    "key",
    [
        0,
        -2,
        True,
        np.int64(1),
        slice(None),
        slice(5, None, -2),
        slice(-9, 9),
        (0, -1, 2),
        (None, 0, 0, 0, None),
        (Ellipsis, slice(1, 2), 0),
        (1, Ellipsis, None),
    ],
    ids=str,
)
def test_shapes_and_gradients_are_those_of_ndarrays(key):
    symbol = typed_variable("x", X.shape, code_of("float32"))
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        y = x[key] * 2
    y.backward()
    found = (selected(symbol, key) * 2).bind(None, {"x": nd.array(X)}, {"x": nd.zeros(X.shape)})
    value = found.forward(is_train=True)[0]
    assert value.shape == y.shape
    np.testing.assert_array_equal(value.asnumpy(), y.asnumpy())
    found.backward(nd.ones(y.shape))
    np.testing.assert_array_equal(found.grad_dict["x"].asnumpy(), x.grad.asnumpy())


@pytest.mark.parametrize(
    "key", [3, -3, (0, 3), (0, 0, 0, 0), (Ellipsis, Ellipsis), slice(None, None, 0)], ids=str
)
def test_errors_are_those_of_ndarrays(key):
    with pytest.raises((IndexError, ValueError)) as of_array:
        nd.array(X)[key]
    with pytest.raises(of_array.type):
        selected(typed_variable("x", X.shape, code_of("float32")), key)


@pytest.mark.parametrize(
    "key",
    [1.5, [0, 1], np.array([0]), (slice(None), sym.var("i")), slice(0, sym.var("i"))],
    ids=str,
)
def test_errors_of_indices_for_arrays_alone_name_alternatives(key):
    x = typed_variable("x", X.shape, code_of("float32"))
    with pytest.raises(NotImplementedForSymbol, match=r"F\.take.*F\.contrib\.boolean_mask"):
        selected(x, key)


def test_other_symbols_select_outputs(x):
    assert x[0].shape == (3, 4)
    parts = sym.split(x, num_outputs=2, axis=2)
    assert parts[1].shape == (2, 3, 2)
    assert sym.var("y")[0].name == "y"
    assert x["x"].name == "x"
