"""Each computation against its definition; the operators' own tests cover the rest."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OperatorNotFoundError, OpforgeError, ShapeError
from opforge.native.computations import Unary


def run(computation, inputs, shape, dtype="float32"):
    out = nd.full(shape, 7, dtype=dtype)
    computation([nd.array(x, dtype=x.dtype) for x in inputs], [out], ["write"])
    return out.asnumpy()


@pytest.mark.parametrize("size", [0, 1, 5, 20000])
def test_unary(size):
    x = np.linspace(-2, 2, size, dtype="float32")
    np.testing.assert_array_equal(run(Unary("relu"), [x], (size,)), np.maximum(x, 0))


def test_unary_refuses_what_does_not_fit():
    with pytest.raises(OperatorNotFoundError, match="no unary elementwise kernel is called 'relo'"):
        Unary("relo")
    x = np.ones(3, "float32")
    with pytest.raises(ShapeError, match=r"'out' has shape \(2,\), expected \(3,\)"):
        run(Unary("relu"), [x], (2,))
    with pytest.raises(DTypeError, match="'out' has dtype float64, expected float32"):
        run(Unary("relu"), [x], (3,), "float64")
    with pytest.raises(OpforgeError, match="takes 1 inputs and 1 outputs, got 2 and 1"):
        run(Unary("relu"), [x, x], (3,))
