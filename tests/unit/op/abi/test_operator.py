"""Declarations of native operators: inferred properties, and rejected declarations."""

import copy
import ctypes
import re

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError
from opforge.op.abi import NativeOperator, functions
from opforge.plugin_api import Attribute

KIND = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


@KIND
def nothing(call):
    return 0


FORWARD = functions(forward=nothing)
BOTH = functions(forward=nothing, backward=nothing)


def declare(**body):
    return type("Declared", (NativeOperator,), {"name": "declared", **body})


def test_without_infer_outputs_are_like_the_first_input():
    prop = declare(library=FORWARD, differentiable=False, arguments=("a", "b"))()
    shapes, outputs, states = prop.infer_shape([[2, 3], [4]])
    assert (shapes, list(outputs), list(states)) == ([[2, 3], [4]], [[2, 3]], [])
    assert prop.infer_type([np.float32, None]) == ([np.float32] * 2, [np.float32], [])


def test_without_infer_all_inputs_have_one_type():
    prop = declare(library=FORWARD, differentiable=False, arguments=("a", "b", "c"))()
    with pytest.raises(
        DTypeError, match=r"'c' has dtype float64; expected float32 .* c.astype\('float32"
    ):
        prop.infer_type([None, np.float32, np.float64])
    assert prop.infer_type([None] * 3) == ([None] * 3, [None], [])


def test_a_base_without_a_name_can_be_subclassed():
    base = declare(name="", library=FORWARD, scale=Attribute(float, default=1.0))
    made = type("Made", (base,), {"name": "made", "differentiable": False})
    assert made(scale="3").scale == 3.0


def test_copies_are_made_of_the_attributes():
    prop = declare(library=FORWARD, differentiable=False, scale=Attribute(float, default=1.0))
    found = copy.deepcopy(prop(scale=3))
    assert found.scale == 3.0 and found.compute is not None


def test_without_a_library_there_are_no_instances():
    with pytest.raises(TypeError, match="Declared has no library; set library = _native"):
        declare()()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"library": FORWARD}, "its C library has no backward function; add one, define gradient("),
        ({"library": BOTH, "gradient": print}, "the gradient is in its C library and in Python"),
        ({"library": BOTH, "compose": print}, "compose and a C library exclude each other"),
    ],
)
def test_contradictory_declarations_are_rejected(body, text):
    with pytest.raises(TypeError, match=re.escape(f"operator declaration Declared: {text}")):
        declare(**body)


def test_a_gradient_of_operators_needs_no_backward_function():
    def gradient(self, F, out_grad, in_data, out_data):
        return [out_grad[0] * 2]

    cls = declare(library=FORWARD, gradient=gradient)
    assert cls().gradient(nd, [nd.ones((1,))], None, None)[0].asscalar() == 2


def test_a_class_without_backward_does_not_inherit_one():
    base = declare(library=BOTH)
    with pytest.raises(TypeError, match="its C library has no backward function"):
        type("Derived", (base,), {"name": "derived", "library": FORWARD})
    derived = type("Derived", (base,), {"name": "derived"})
    assert derived().compute.gradient is not None
