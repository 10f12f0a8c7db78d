import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym, test_utils


class WrongSquare(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] ** 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2.1 * in_data[0] * out_grad[0])


@mx.operator.register("numeric_gradient_wrong_square")
class WrongSquareProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return WrongSquare()


def wrong_square(x):
    return sym.Custom(x, op_type="numeric_gradient_wrong_square")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("request_", ["write", "add", "null"])
def test_a_right_gradient(dtype, request_):
    a, b = sym.var("a"), sym.var("b")
    location = {"a": np.random.rand(2, 3), "b": np.random.rand(3, 2) + 1}
    reqs = {"a": request_, "b": "write"}
    test_utils.check_numeric_gradient(sym.dot(a, b), location, grad_nodes=reqs, dtype=dtype)


def test_a_wrong_gradient_is_named():
    graph = wrong_square(sym.var("x")) + sym.var("y")
    location = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    with pytest.raises(AssertionError, match=r"NUMERICAL_x.*BACKWARD_x"):
        test_utils.check_numeric_gradient(graph, location)
    test_utils.check_numeric_gradient(graph, location, grad_nodes=["y"])
    test_utils.check_numeric_gradient(graph, location, rtol=0.2)
    test_utils.check_numeric_gradient(graph, location, rtol={np.dtype("float32"): 0.2})


@pytest.mark.plugins
def test_states_are_reset_for_each_evaluation():
    graph = sym.BatchNorm(sym.var("x"), name="bn", fix_gamma=False)
    location = {"x": np.random.rand(6, 2), "bn_gamma": np.ones(2), "bn_beta": np.zeros(2)}
    states = [np.full(2, 0.3), np.full(2, 2.0)]
    test_utils.check_numeric_gradient(
        graph,
        location,
        states,
        grad_nodes=["bn_gamma", "bn_beta"],
        use_forward_train=False,
        numeric_eps=1e-2,
        rtol=1.0,
        atol=5.0,
    )
    with pytest.raises(ValueError, match="got 1 states"):
        test_utils.check_numeric_gradient(graph, location, states[:1])


@pytest.mark.parametrize("stype", ["row_sparse", "default", None])
def test_gradients_of_any_storage_type(stype):
    for graph in (sym.var("x") * 2, sym.square(sym.var("x"))):
        test_utils.check_numeric_gradient(graph, [np.ones(2)], grad_stype_dict={"x": stype})


def test_numeric_grad_of_an_executor():
    x, n = nd.array([1.0, 2.0], dtype="float64"), nd.array([2, 3], dtype="int32")
    graph = sym.var("x") ** 2 + sym.cast(sym.var("n"), dtype="float64")
    executor = graph.bind(mx.cpu(), {"x": x, "n": n})
    place = {"x": x.asnumpy(), "n": n.asnumpy()}
    found = test_utils.numeric_grad(executor, place, eps=1e-3, dtype=np.float64)
    assert np.allclose(found["x"], [2.0, 4.0])
    assert found["n"].tolist() == [0.0, 0.0]
    assert x.asnumpy().tolist() == [1.0, 2.0]
