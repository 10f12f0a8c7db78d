"""The operator that calls a C function `backward`: its arrays and their shapes."""

import ctypes

import numpy as np
import pytest

from opforge.base.errors import OpforgeError, ShapeError
from opforge.op.abi import NativeOperator, functions
from opforge.op.abi.backward import backward_handle

KIND = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


@KIND
def nothing(call):
    return 0


BOTH = functions(forward=nothing, backward=nothing)


def backward_of(**body):
    body = {"name": "of_backward", "library": BOTH, **body}
    cls = type("Forward", (NativeOperator,), body)
    return cls._backward_class()


def test_it_takes_gradients_and_what_is_kept():
    made = backward_of(arguments=("x", "w"), outputs=("y", "z"))
    assert made.list_arguments() == [
        *("out_grad_y", "out_grad_z"),
        *("in_x", "in_w"),
        *("out_y", "out_z"),
    ]
    assert made.list_outputs() == ["grad_x", "grad_w"]
    made = backward_of(saves=("outputs",), attrs={"FElementwiseShape": True})
    assert made.list_arguments() == ["out_grad_output", "out_output"]


def test_gradients_look_like_the_inputs():
    made = backward_of(arguments=("x", "w"), saves=("inputs",))
    shapes = [[2, 3], [2, 3], [4]]
    assert made.infer_shape(shapes) == (shapes, [[2, 3], [4]], [])
    types = [np.float32, np.float32, np.int64]
    assert made.infer_type(types) == (types, types[1:], [])


def test_a_gradient_of_another_shape_than_its_output_is_refused():
    made = backward_of(saves=("inputs",))
    with pytest.raises(ShapeError, match=r"of output 0 has shape \(5,\), the output \(2, 3\)"):
        made.infer_shape([[5], [2, 3]])


def test_it_has_no_gradient():
    with pytest.raises(OpforgeError, match="'of_backward' has its gradient in C"):
        backward_of().gradient(None, [], [], [])


def test_its_handle_is_made_once():
    made = backward_of()
    handle = backward_handle(type(made), made._forward_class)
    assert handle.name == "of_backward"
    assert backward_handle(type(made), made._forward_class) is handle
