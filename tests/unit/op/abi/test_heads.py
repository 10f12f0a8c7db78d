"""Gradients of outputs: a native backward gets those that its declaration reads."""

import ctypes

import pytest

from opforge import autograd, nd
from opforge.native.dispatch.invoking import invoke
from opforge.op.abi import NativeOperator, functions
from opforge.op.calling.binding import make_handle
from opforge.op.registry.entry import Entry

KIND = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("byte_size", ctypes.c_int64),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("device", ctypes.c_uint64),
    ]


class Call(ctypes.Structure):
    """An opforge_call up to `out_grads`."""

    _fields_ = [
        ("head", ctypes.c_uint64),
        ("before", ctypes.c_uint64 * 12),
        ("out_grads", ctypes.POINTER(Tensor)),
    ]


@KIND
def nothing(call):
    return 0


@pytest.mark.parametrize("leaves_out", [False, True])
def test_a_gradient_that_is_not_read_is_not_made(leaves_out):
    seen = []

    @KIND
    def backward(call):
        seen.append([head.data is not None for head in Call.from_address(call).out_grads[:2]])
        return 0

    def dependency(self, out_grad, in_data, out_data):
        return [*out_grad[: 1 if leaves_out else 2], *in_data]

    members = {
        "__doc__": "Two outputs, one of which is hidden.",
        "name": "heads",
        "library": functions(forward=nothing, backward=backward),
        "outputs": ("output", "kept"),
        "num_visible_outputs": 1,
        "declare_backward_dependency": dependency,
    }
    prop_class = type("Heads", (NativeOperator,), members)
    handle = make_handle(Entry("heads", prop_class, "some-plugin", "1.0", "plugin"))
    x = nd.ones((3,))
    x.attach_grad()
    with autograd.record():
        y = invoke(handle, (x,), (), None)
    y.backward()
    assert seen == [[True, not leaves_out]]
