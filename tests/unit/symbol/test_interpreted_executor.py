"""Symbols with shapes that depend on values, bound to arrays."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.base.errors import OpforgeError, ShapeError

pytestmark = pytest.mark.plugins

X, MASK, W = sym.var("x"), sym.var("mask"), sym.var("w")
ARRAYS = {"x": [[1, 2], [3, 4], [5, 6]], "mask": [0, 1, 1], "w": [[2, 3]]}


def chosen_rows():
    """Return a graph whose result has the rows that a mask selects."""
    return sym.broadcast_mul(sym.contrib.boolean_mask(X, MASK), W, name="y")


def bound(graph=None, req="write", **arrays):
    """Bind to arrays; gradients are 7 before the first run."""
    graph = chosen_rows() if graph is None else graph
    args = {name: nd.array(value) for name, value in {**ARRAYS, **arrays}.items()}
    grads = {name: nd.full(array.shape, 7) for name, array in args.items()}
    return graph.bind(mx.cpu(), args, grads, req)


def test_output_shapes_depend_on_values():
    executor = bound()
    for mask, rows in (([0, 1, 1], [[6, 12], [10, 18]]), ([1, 0, 0], [[2, 6]]), ([0, 0, 0], [])):
        (y,) = executor.forward(mask=nd.array(mask))
        assert y.shape == (len(rows), 2) and y.asnumpy().tolist() == rows
        assert executor.output_dict["y_output"] is y
    assert executor.nbytes == 0
    executor.forward(mask=nd.ones(3))
    assert executor.nbytes == 24


def test_gradients_are_written_added_or_left():
    executor = bound(req={"x": "write", "mask": "write", "w": "add"})
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.array([[1, 0], [10, 1]]))
    grads = {name: grad.asnumpy().tolist() for name, grad in executor.grad_dict.items()}
    assert grads == {
        "x": [[0, 0], [2, 0], [20, 3]],
        "mask": [0, 0, 0],
        "w": [[7 + 2 * 53, 7 + 2 * 6]],
    }
    executor = bound(req="null")
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    assert executor.grad_dict["x"].asnumpy().ravel().tolist() == [7] * 6


def test_a_gradient_can_be_asked_for_again_and_without_forward():
    executor = bound()
    for _ in range(2):
        executor.backward(nd.ones((2, 2)))
        assert executor.grad_dict["x"].asnumpy().tolist() == [[0, 0], [2, 3], [2, 3]]


def test_a_head_gradient_is_needed_and_has_the_output_s_shape():
    executor = bound()
    executor.forward(is_train=True)
    with pytest.raises(OpforgeError, match="'y_output' is not a loss"):
        executor.backward()
    with pytest.raises(ShapeError, match="y_output"):
        executor.backward(nd.ones((3, 2)))


@pytest.mark.parametrize("loss", ["MakeLoss", "make_loss"])
def test_losses_need_none(loss):
    graph = getattr(sym, loss)(sym.contrib.boolean_mask(X, MASK))
    executor = bound(graph)
    executor.forward(is_train=True)
    executor.backward()
    assert executor.grad_dict["x"].asnumpy().tolist() == [[0, 0], [1, 1], [1, 1]]


def test_states_change_in_training_alone():
    graph = sym.BatchNorm(sym.contrib.boolean_mask(X, MASK), name="bn", fix_gamma=True)
    executor = graph.simple_bind(mx.cpu(), x=(3, 2), mask=(3,))
    executor.copy_params_from({"x": nd.array(ARRAYS["x"]), "mask": nd.array(ARRAYS["mask"])})
    executor.forward()
    assert executor.aux_dict["bn_moving_mean"].asnumpy().tolist() == [0, 0]
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    np.testing.assert_allclose(executor.aux_dict["bn_moving_mean"].asnumpy(), [0.4, 0.5], rtol=1e-6)


def test_monitors_see_each_call():
    executor = bound()
    seen = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.shape}))
    executor.forward()
    assert seen[b"y_output"] == (2, 2) and len(seen) == 2


def test_reshaped_executors_share_arrays_of_equal_shape():
    executor = bound()
    other = executor.reshape(x=(2, 2), mask=(2,), w=(1, 2))
    assert other.arg_dict["w"] is executor.arg_dict["w"]
    (y,) = other.forward(x=nd.ones((2, 2)), mask=nd.array([0, 1]))
    assert y.asnumpy().tolist() == [[2, 3]]
    with pytest.raises(ValueError, match=r"Insufficient argument shapes.*'w' is \(\)"):
        executor.reshape(x=(2, 2), mask=(2,))


def test_the_graph_can_be_shown():
    assert "boolean_mask" in bound().debug_str()


DATA = np.array([[0, 2, 0], [1, 0, 0]], np.float32)


def linear(stype="row_sparse"):
    """Return a graph of a csr matrix and a table."""
    table = sym.var("w", stype=stype, shape=(3, 2))
    return sym.broadcast_add(sym.dot(sym.var("x", stype="csr"), table), sym.var("b", shape=(1, 2)))


def test_variables_determine_storage_types():
    executor = linear().simple_bind(mx.cpu(), x=(2, 3))
    assert [array.stype for array in executor.arg_arrays] == ["csr", "row_sparse", "default"]
    assert [array.stype for array in executor.grad_arrays] == ["default", "row_sparse", "default"]
    assert executor.outputs[0].asnumpy().tolist() == [[0, 0], [0, 0]]
    other = sym.dot(sym.var("x"), sym.var("w")).simple_bind(
        mx.cpu(), "null", stype_dict={"x": "csr"}, x=(2, 3), w=(3, 2)
    )
    assert [array.stype for array in other.arg_arrays] == ["csr", "default"]
    assert [output.shape for output in other.outputs] == [(2, 2)]


@pytest.mark.parametrize("stype", ["row_sparse", "default"])
def test_graphs_of_sparse_arrays_agree_with_dense_ones(stype):
    rng = np.random.default_rng(3)
    w, b, head = (rng.standard_normal(s).astype("float32") for s in ((3, 2), (1, 2), (2, 2)))
    executor = linear(stype).simple_bind(mx.cpu(), x=(2, 3))
    executor.copy_params_from({"w": nd.array(w), "b": nd.array(b)})
    for shift in (0, 1):
        data = np.roll(DATA, shift, 1)
        (y,) = executor.forward(is_train=True, x=nd.array(data).tostype("csr"))
        np.testing.assert_allclose(y.asnumpy(), data @ w + b, rtol=1e-6)
        executor.backward(nd.array(head))
        grads = {name: grad.asnumpy() for name, grad in executor.grad_dict.items()}
        np.testing.assert_allclose(grads["w"], data.T @ head, rtol=1e-6)
        np.testing.assert_allclose(grads["b"], head.sum(0, keepdims=True), rtol=1e-6)
        np.testing.assert_allclose(grads["x"], head @ w.T, rtol=1e-5)
    if stype == "row_sparse":
        rows = executor.grad_dict["w"].indices.asnumpy().tolist()
        assert rows == np.flatnonzero(data.any(0)).tolist()


def test_sparse_arrays_are_bound_and_evaluated():
    x, w = nd.array(DATA).tostype("csr"), nd.ones((3, 2))
    graph = sym.dot(sym.var("x"), sym.var("w"))
    grads = {"w": nd.zeros((3, 2))}
    executor = graph.bind(mx.cpu(), {"x": x, "w": w}, grads)
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    assert grads["w"].asnumpy().tolist() == [[1, 1], [2, 2], [0, 0]]
    assert graph.eval(x=x, w=w)[0].asnumpy().tolist() == [[2, 2], [1, 1]]
    (doubled,) = sym.square(sym.var("x")).eval(x=x)
    assert doubled.stype == "csr" and doubled.asnumpy().tolist() == (DATA**2).tolist()


def test_batches_of_another_size():
    executor = linear().simple_bind(mx.cpu(), x=(2, 3))
    executor.arg_dict["w"][:] = 1
    other = executor.reshape(x=(1, 3), allow_up_sizing=True)
    assert other.arg_dict["w"] is executor.arg_dict["w"]
    assert other.arg_dict["x"].stype == "csr"
    (y,) = other.forward(x=nd.array(DATA[:1]).tostype("csr"))
    assert y.asnumpy().tolist() == [[2, 2]]


def test_loops_have_no_sparse_arrays():
    def body(row, state):
        return row + state, state

    outputs, _ = sym.contrib.foreach(body, sym.var("x"), sym.var("s"))
    executor = outputs.bind(mx.cpu(), {"x": nd.array(DATA).tostype("csr"), "s": nd.zeros(3)})
    with pytest.raises(OpforgeError, match=r"a loop or a branch in a graph .* sparse"):
        executor.forward()


@pytest.mark.parametrize("name", ["BlockGrad", "floor", "sign", "zeros_like", "argmax"])
def test_outputs_without_a_gradient_need_no_head(name):
    loss = sym.MakeLoss(sym.sum(chosen_rows()))
    executor = bound(sym.Group([getattr(sym, name)(X), loss]))
    executor.forward(is_train=True)
    executor.backward()
    assert executor.grad_dict["x"].asnumpy().tolist() == [[0, 0], [2, 3], [2, 3]]
