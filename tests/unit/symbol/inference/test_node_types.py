import pytest

from opforge import sym
from opforge.base.errors import ShapeError
from opforge.symbol.inference.node_types import infer_node
from opforge.symbol.node import UNKNOWN
from opforge.symbol.variable import typed_variable


def dense(data, weight):
    inputs = [typed_variable("data", data, 0), typed_variable("weight", weight, 0)]
    return sym.FullyConnected(*inputs, num_hidden=2, no_bias=True).edges[0][0]


def test_outputs_follow_from_inputs():
    node = dense((4, 3), (2, 3))
    node.types = [UNKNOWN]
    infer_node(node)
    assert (node.types[0].shape, node.types[0].code) == ((4, 2), 0)


def test_a_variable_is_completed():
    node = dense((4, 3), (0, 0))
    assert node.inputs[1][0].types[0].shape == (2, 3)


def test_nothing_is_asked_of_unknown_inputs():
    node = sym.exp(sym.var("x")).edges[0][0]
    infer_node(node)
    assert node.types == [UNKNOWN]


def test_inputs_that_do_not_fit_are_rejected():
    with pytest.raises(ShapeError):
        dense((4, 3), (2, 7))
