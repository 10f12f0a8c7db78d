import pytest

from opforge import sym
from opforge.base.errors import ShapeError
from opforge.symbol.inference.node_types import infer_node
from opforge.symbol.node import UNKNOWN
from opforge.symbol.variable import typed_variable


def node_of(*shapes):
    inputs = [typed_variable(f"x{at}", shape, 0) for at, shape in enumerate(shapes)]
    return sym.elemwise_add(*inputs).edges[0][0]


def test_outputs_follow_from_inputs():
    node = node_of((2, 3), (2, 3))
    node.types = [UNKNOWN]
    infer_node(node)
    assert (node.types[0].shape, node.types[0].code) == ((2, 3), 0)


def test_an_input_that_is_a_variable_is_completed():
    data = typed_variable("data", (4, 3), 0)
    node = sym.FullyConnected(data, num_hidden=2, name="fc").edges[0][0]
    assert node.types[0].shape == (4, 2)


def test_nothing_is_asked_of_unknown_inputs():
    node = sym.exp(sym.var("x")).edges[0][0]
    infer_node(node)
    assert node.types == [UNKNOWN]


def test_inputs_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError):
        node_of((2, 3), (3, 2))
