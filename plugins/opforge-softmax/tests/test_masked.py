"""Tests of softmax with lengths or another result type, and of the older forms of softmax."""

import numpy as np
import pytest
from opforge_softmax import checks

from opforge import autograd, nd, sym
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError
from opforge.testing import check_gradients, check_ways

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4))
LENGTHS = {-1: [[4, 0, 1], [2, 3, 9]], 1: [[1, 2, 3, 0], [3, 2, -1, 1]], 0: [[0, 1, 2, 1]] * 3}


@pytest.mark.parametrize("axis", sorted(LENGTHS))
@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_masked_softmax(axis, kind, dtype):
    length = np.array(LENGTHS[axis], dtype=kind)
    attributes = {"axis": axis, "use_length": True, "temperature": 0.5}
    lengths = nd.array(length, dtype=kind)
    result = nd.softmax(nd.array(X, dtype=dtype), lengths, **attributes)
    assert result.dtype == np.dtype(dtype)
    tolerance = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
    expected = checks.masked_softmax(X, length, **attributes)
    np.testing.assert_allclose(result.asnumpy(), expected, tolerance, tolerance)
    if dtype == "float64":
        check_gradients(lambda x: nd.softmax(x, lengths, **attributes), [X], rtol=1e-4)
        check_ways(
            lambda F, x, n: F.softmax(x, F.cast(n, dtype=kind), **attributes),
            [X, length.astype("float64")],
            wanted=[0],
        )


def test_masked_infinities_are_ignored():
    x = nd.array([[1.0, 2.0, np.nan, np.inf], [-np.inf, 0.0, 0.0, 0.0]])
    y = nd.softmax(x, nd.array([2, 2], dtype="int32"), use_length=True).asnumpy()
    np.testing.assert_allclose(y[0, :2], checks.softmax(np.array([1.0, 2.0])), 1e-6)
    assert y[0, 2:].tolist() == [0, 0] and y[1].tolist() == [0, 1, 0, 0]


def test_length_is_an_input_only_if_used():
    assert sym.softmax(sym.var("x"), use_length=True, name="s").list_arguments() == [
        "x",
        "s_length",
    ]
    assert sym.softmax(sym.var("x")).list_arguments() == ["x"]
    masked = sym.softmax(sym.var("x"), sym.var("n"), axis=1, use_length=True)
    assert masked.infer_shape(x=(2, 3, 4))[0] == [(2, 3, 4), (2, 4)]


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
def test_result_of_another_type(name):
    x = nd.array(X, dtype="float16")
    x.attach_grad()
    with autograd.record():
        y = getattr(nd, name)(x, dtype="float32")
    y.backward(y)
    assert y.dtype == np.float32 and x.grad.dtype == np.float16
    expected = getattr(checks, name)(x.asnumpy().astype("float64"))
    np.testing.assert_allclose(y.asnumpy(), expected, 1e-5, 1e-6)
    check_ways(lambda F, a: getattr(F, name)(a, dtype="float64"), [X])


def test_invalid_arguments_are_rejected():
    x, length = nd.array(X), nd.ones((2, 3), dtype="int32")
    with pytest.raises(ShapeError, match=r"length"):
        nd.softmax(x, length, axis=1, use_length=True)
    with pytest.raises(
        DTypeError, match=r"'length' has dtype float32; expected int32, int8 or int64.*astype"
    ):
        nd.softmax(x, nd.ones((2, 3)), use_length=True)
    with pytest.raises(DTypeError, match="dtype is int32"):
        nd.softmax(x, dtype="int32")
    with pytest.raises(AttributeValueError, match="use_length"):
        nd.log_softmax(x, use_length=True)


def test_softmax_activation():
    for mode, axis in (("instance", -1), ("channel", 1)):
        y = nd.SoftmaxActivation(nd.array(X, dtype="float64"), mode=mode)
        np.testing.assert_allclose(y.asnumpy(), checks.softmax(X, axis), 1e-12)
    check_gradients(lambda x: nd.SoftmaxActivation(x, mode="channel"), [X], order=2)
    with pytest.raises(ShapeError, match="at least 3 dimensions"):
        nd.SoftmaxActivation(nd.ones((2, 3)), mode="channel")


def test_summed_cross_entropy():
    x, label = X[0], np.array([3, 0, 1])
    y = nd.softmax_cross_entropy(nd.array(x), nd.array(label))
    assert y.shape == (1,)
    np.testing.assert_allclose(y.asnumpy(), checks.summed_cross_entropy(x, label), 1e-5)
    check_gradients(lambda a: nd.softmax_cross_entropy(a, nd.array(label)), [x], rtol=1e-4)
    with pytest.raises(ShapeError, match=r"expected \(n, classes\)"):
        nd.softmax_cross_entropy(nd.array(X), nd.array(label))
