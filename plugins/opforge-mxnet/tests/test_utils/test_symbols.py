import numpy as np
import pytest

from opforge import nd, sym, test_utils

A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
PRODUCT = sym.dot(sym.var("a"), sym.var("b"), name="product")


def test_simple_forward():
    x = sym.var("x")
    assert test_utils.simple_forward(x * 2, x=[1, 2]).tolist() == [2, 4]
    both = test_utils.simple_forward(sym.Group([x + 1, x + 2]), x=[1])
    assert [item.tolist() for item in both] == [[2], [3]]


def test_symbolic_forward():
    (found,) = test_utils.check_symbolic_forward(PRODUCT, [A, B], [A @ B])
    assert found.dtype == np.float32
    (found,) = test_utils.check_symbolic_forward(
        PRODUCT, {"b": B, "a": A}, {"product_output": A @ B}, dtype="asnumpy"
    )
    assert found.dtype == np.float64
    with pytest.raises(AssertionError, match="FORWARD_product_output"):
        test_utils.check_symbolic_forward(PRODUCT, [A, B], [A @ B + 1])
    with pytest.raises(ValueError, match="zip"):
        test_utils.check_symbolic_forward(PRODUCT, [A, B], [])


@pytest.mark.parametrize("request_", ["write", "add"])
def test_symbolic_backward(request_):
    head = np.array([[1.0, 0.0], [0.0, 2.0]])
    expected = {"a": head @ B.T, "b": A.T @ head}
    for heads in ([head], [nd.array(head)], {"product_output": head}):
        grads = test_utils.check_symbolic_backward(
            PRODUCT, [A, B], heads, expected, grad_req=request_
        )
        assert set(grads) == {"a", "b"}
    wrong = [expected["a"], expected["b"] + 1]
    with pytest.raises(AssertionError, match="BACKWARD_b"):
        test_utils.check_symbolic_backward(PRODUCT, [A, B], [head], wrong, grad_req=request_)


def test_a_null_gradient_stays():
    grads = test_utils.check_symbolic_backward(
        PRODUCT, [A, B], [A], [B @ B, A.T @ A], grad_req={"a": "null", "b": "write"}
    )
    assert np.abs(grads["a"].asnumpy()).max() < 10


def test_gradients_may_be_sparse():
    grads = test_utils.check_symbolic_backward(
        PRODUCT, [A, B], [A], [A @ B.T, A.T @ A], grad_stypes={"a": "csr", "b": None}
    )
    assert [grads[name].stype for name in "ab"] == ["csr", "default"]


def test_same_symbol_structure():
    x, y = sym.var("x"), sym.var("y")
    assert test_utils.same_symbol_structure(x + y, sym.var("p") + sym.var("q"))
    assert not test_utils.same_symbol_structure(x + y, x - y)
