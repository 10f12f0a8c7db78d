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
    """Return a graph whose result has as many rows as a mask chooses."""
    return sym.broadcast_mul(sym.contrib.boolean_mask(X, MASK), W, name="y")


def bound(graph=None, req="write", **arrays):
    """Bind to arrays; gradients are 7 before anything runs."""
    graph = chosen_rows() if graph is None else graph
    args = {name: nd.array(value) for name, value in {**ARRAYS, **arrays}.items()}
    grads = {name: nd.full(array.shape, 7) for name, array in args.items()}
    return graph.bind(mx.cpu(), args, grads, req)


def test_outputs_have_the_shape_that_values_tell():
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
    with pytest.raises(OpforgeError, match="'y_output' is no loss"):
        executor.backward()
    with pytest.raises(ShapeError, match="y_output"):
        executor.backward(nd.ones((3, 2)))


def test_losses_need_none():
    graph = sym.MakeLoss(sym.contrib.boolean_mask(X, MASK))
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
    np.testing.assert_allclose(executor.aux_dict["bn_moving_mean"].asnumpy(), [0.4, 0.5], rtol=1e-6)


def test_monitors_see_each_call():
    executor = bound()
    seen = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.shape}))
    executor.forward()
    assert seen["y_output"] == (2, 2) and len(seen) == 2


def test_other_shapes_share_what_keeps_its_shape():
    executor = bound()
    other = executor.reshape(x=(2, 2), mask=(2,), w=(1, 2))
    assert other.arg_dict["w"] is executor.arg_dict["w"]
    (y,) = other.forward(x=nd.ones((2, 2)), mask=nd.array([0, 1]))
    assert y.asnumpy().tolist() == [[2, 3]]
    with pytest.raises(ValueError, match=r"Insufficient argument shapes.*'w' only \(\)"):
        executor.reshape(x=(2, 2), mask=(2,))


def test_the_graph_can_be_shown():
    assert "boolean_mask" in bound().debug_str()
