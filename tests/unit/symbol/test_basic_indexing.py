import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.dtypes import code_of
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


def test_invalid_indices_raise(x):
    with pytest.raises(IndexError, match="has 3 axes, but 4 were indexed"):
        selected(x, (0, 0, 0, 0))
    with pytest.raises(TypeError, match=r"got 1\.5"):
        selected(x, 1.5)


def test_other_symbols_select_outputs(x):
    assert x[0].shape == (3, 4)
    parts = sym.split(x, num_outputs=2, axis=2)
    assert parts[1].shape == (2, 3, 2)
    assert sym.var("y")[0].name == "y"
    assert x["x"].name == "x"
