"""Each computation against its definition; the tests of the operators cover the rest."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import (
    AttributeValueError,
    DTypeError,
    OperatorNotFoundError,
    OpforgeError,
    ShapeError,
)
from opforge.native.calls.computations import (
    Clip,
    Reduce,
    Softmax,
    SoftmaxGrad,
    Spread,
    Unary,
)


def run(computation, inputs, shape, dtype="float32"):
    out = nd.full(shape, 7, dtype=dtype)
    computation([nd.array(x, dtype=x.dtype) for x in inputs], [out], ["write"])
    return out.asnumpy()


@pytest.mark.parametrize("size", [0, 1, 5, 20000])
def test_unary(size):
    x = np.linspace(-2, 2, size, dtype="float32")
    np.testing.assert_array_equal(run(Unary("relu"), [x], (size,)), np.maximum(x, 0))


@pytest.mark.parametrize("size", [0, 5, 20000])
def test_clip(size):
    x = np.linspace(-2, 2, size, dtype="float32")
    np.testing.assert_array_equal(run(Clip(-1, 0.5), [x], (size,)), np.clip(x, -1, 0.5))
    with pytest.raises(ShapeError, match=r"'out' has shape \(2,\), expected"):
        run(Clip(-1, 0.5), [x], (2,))


def test_unary_rejects_mismatched_arrays():
    with pytest.raises(OperatorNotFoundError, match="unary elementwise kernel 'relo' not found"):
        Unary("relo")
    x = np.ones(3, "float32")
    with pytest.raises(ShapeError, match=r"'out' has shape \(2,\), expected \(3,\)"):
        run(Unary("relu"), [x], (2,))
    with pytest.raises(DTypeError, match="'out' has dtype float64, expected float32"):
        run(Unary("relu"), [x], (3,), "float64")
    with pytest.raises(OpforgeError, match="takes 1 inputs and 1 outputs, got 2 and 1"):
        run(Unary("relu"), [x, x], (3,))


@pytest.mark.parametrize(
    ("axes", "exclude", "reduced"),
    [(None, False, (0, 1, 2)), ((1,), False, (1,)), ((-1, 0), False, (0, 2)), ((1,), True, (0, 2))],
)
def test_reduce_and_its_gradient(axes, exclude, reduced):
    x = np.random.rand(3, 4, 5)
    expected = x.sum(axis=reduced, keepdims=True)
    np.testing.assert_allclose(
        run(Reduce("sum", axes, exclude), [x], expected.shape, "float64"), expected
    )
    spread = run(Spread(axes, exclude), [expected, x], x.shape, "float64")
    np.testing.assert_array_equal(spread, np.broadcast_to(expected, x.shape))
    count = x.size // expected.size
    mean = run(Spread(axes, exclude, mean=True), [expected, x], x.shape, "float64")
    np.testing.assert_allclose(mean, np.broadcast_to(expected / count, x.shape))


def test_kept_shape():
    assert Spread().kept_shape((2, 3)) == (1, 1)
    assert Spread((-1,)).kept_shape((2, 3)) == (2, 1)
    assert Spread((1,), True).kept_shape((2, 3)) == (1, 3)
    assert Spread((0,), mean=True).mean and not Spread().mean


def test_reduced_axes():
    assert Reduce("sum").axes_of(3) == (0, 1, 2)
    assert Reduce("sum", (-1, 0)).axes_of(3) == (0, 2)
    assert Reduce("sum", (1,), True).axes_of(3) == (0, 2)
    assert Reduce("sum").axes_of(0) == ()


def test_reductions_reject_invalid_arguments():
    x = np.ones((2, 3), "float32")
    with pytest.raises(OperatorNotFoundError, match="reduction 'total' not found"):
        Reduce("total")
    with pytest.raises(ShapeError, match="axis 2 is out of bounds for 2 dimensions"):
        run(Reduce("sum", (2,)), [x], (2,))
    with pytest.raises(ShapeError, match=r"axes \(0, -2\) contain axis 0 twice"):
        run(Reduce("sum", (0, -2)), [x], (3,))
    with pytest.raises(ShapeError, match="expected"):
        run(Reduce("sum", (0,)), [x], (2,))
    with pytest.raises(ShapeError, match="'out' has shape"):
        run(Spread((0,)), [np.ones((3,), "float32"), x], (3, 2))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_and_its_gradient(dtype, axis):
    x = np.random.randn(4, 7).astype(dtype)
    wide = -x.astype("float64") / 2
    y = np.exp(wide - wide.max(axis, keepdims=True))
    y /= y.sum(axis, keepdims=True)
    tolerance = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}[dtype]
    have = run(Softmax(axis, 2.0, False, True), [x], x.shape, dtype)
    np.testing.assert_allclose(have, y, rtol=10 * tolerance, atol=tolerance)
    dy = np.random.randn(4, 7).astype(dtype)
    expected = -0.5 * y * (dy - (dy * y).sum(axis, keepdims=True))
    have = run(SoftmaxGrad(axis, 2.0, False, True), [dy, y.astype(dtype)], x.shape, dtype)
    np.testing.assert_allclose(have, expected, atol=3 * tolerance)


def test_softmax_rejects_invalid_arguments():
    x = np.ones((2, 3), "float32")
    for kind in (Softmax, SoftmaxGrad):
        with pytest.raises(
            AttributeValueError, match=r"temperature is 0\.0; expected a value above 0"
        ):
            kind(-1, 0.0)
    with pytest.raises(ShapeError, match=r"axis 2 is out of bounds for shape \(2, 3\)"):
        run(Softmax(2), [x], (2, 3))
    with pytest.raises(ShapeError, match=r"'dy' has shape \(3,\), expected \(2, 3\)"):
        run(SoftmaxGrad(), [np.ones(3, "float32"), x], (2, 3))
    with pytest.raises(DTypeError, match="int32"):
        run(Softmax(), [np.ones((2, 3), "int32")], (2, 3), "int32")
