import ctypes

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym


def seen_by(executor, monitor_all=False):
    seen = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array}), monitor_all)
    return seen


def product():
    x, w = sym.var("x"), sym.var("w")
    executor = (sym.exp(x, name="e") * w).simple_bind(mx.cpu(), x=(2,), w=(2,))
    executor.arg_dict["x"][:] = nd.array([0, 1])
    executor.arg_dict["w"][:] = nd.array([2, 3])
    return executor


def test_gradients_of_each_operator_are_shown_after_backward():
    executor = product()
    seen = seen_by(executor)
    executor.forward(is_train=True)
    seen.clear()
    executor.backward(nd.array([1, 10]))
    assert [name.split(b"_backward")[1] for name in seen] == [b"_output0", b"_output1", b"_output"]
    by_end = {name.split(b"_backward")[1]: array.asnumpy() for name, array in seen.items()}
    assert np.allclose(by_end[b"_output0"], [2, 30])
    assert np.allclose(by_end[b"_output1"], executor.grad_dict["w"].asnumpy())
    assert np.allclose(by_end[b"_output"], executor.grad_dict["x"].asnumpy())


def test_monitor_all_shows_the_gradients_that_backward_is_given():
    executor = product()
    seen = seen_by(executor, monitor_all=True)
    executor.forward(is_train=True)
    assert list(seen)[:3] == [b"x", b"e_input0", b"e_output"]
    seen.clear()
    executor.backward(nd.array([1, 10]))
    assert next(iter(seen)) == b"_head_grad_0"
    assert seen[b"_head_grad_0"].asnumpy().tolist() == [1, 10]


@pytest.mark.plugins
def test_a_gradient_that_several_operators_send_is_their_sum():
    x = sym.var("x")
    inner = sym.square(x, name="s")
    executor = sym.MakeLoss(sym.elemwise_add(inner * 2, inner, name="a")).simple_bind(
        mx.cpu(), x=(1,)
    )
    executor.arg_dict["x"][:] = 5
    seen = seen_by(executor)
    executor.forward(is_train=True)
    executor.backward()
    assert seen[b"s_backward_output"].asnumpy().tolist() == [30]
    assert seen[b"s_backward_output"].asnumpy() == executor.grad_dict["x"].asnumpy()


@pytest.mark.plugins
def test_states_move_once_in_spite_of_the_monitor():
    net = sym.BatchNorm(sym.var("data"), name="bn", fix_gamma=False)
    found = []
    for is_watched in (False, True):
        executor = net.simple_bind(mx.cpu(), data=(4, 2))
        executor.arg_dict["data"][:] = nd.arange(8).reshape((4, 2))
        if is_watched:
            seen = seen_by(executor)
        executor.forward(is_train=True)
        executor.backward(nd.ones((4, 2)))
        found.append(executor.aux_dict["bn_moving_mean"].asnumpy())
    assert np.array_equal(*found)
    assert b"bn_backward_output2" in seen


def test_a_loop_shows_no_gradients_but_its_results():
    outs, _ = sym.contrib.foreach(lambda row, state: (row + state, row), sym.var("x"), sym.var("s"))
    executor = outs.simple_bind(mx.cpu(), x=(3, 2), s=(2,))
    seen = seen_by(executor)
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 2)))
    assert seen
    assert not [name for name in seen if b"backward" in name]
    assert executor.grad_dict["s"].asnumpy().tolist() == [1, 1]


def test_a_callback_written_for_the_c_library_gets_the_array():
    executor = product()
    found = {}

    def callback(name, array):
        array = nd.NDArray(ctypes.cast(array, ctypes.c_void_p), writable=False)
        found[name.decode()] = array.asnumpy().tolist()

    executor.set_monitor_callback(callback)
    executor.forward()
    assert found["e_output"] == pytest.approx([1, np.e])
