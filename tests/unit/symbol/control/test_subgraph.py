import pytest

from opforge import sym
from opforge.symbol.control.subgraph import Subgraph, cut, input_positions
from opforge.symbol.node import Node


def cut_out(function, *given):
    own = [Node(name) for name in given]
    begin = Node("").serial
    answer = function(*(sym.Group([sym.Symbol([(node, 0)])]) for node in own))
    return (*cut([symbol.edges[0] for symbol in answer], own, begin), own)


def test_outer_values_become_inputs():
    w = sym.var("w", lr_mult=2)
    before = sym.exp(w, name="before")
    outputs, free, _ = cut_out(lambda x: [x * before + w], "x")
    inside = sym.Symbol(outputs)
    assert inside.list_arguments() == ["x", "before_output", "w"]
    assert [item.edge[0] for item in free] == [before.edges[0][0], w.edges[0][0]]
    assert free[1].variable is not w.edges[0][0]
    assert free[1].variable.attrs == {"__lr_mult__": "2"}


def test_variables_that_the_function_makes_are_inputs_too():
    _, free, _ = cut_out(lambda x: [sym.FullyConnected(x, num_hidden=2, name="fc")], "x")
    assert [item.variable.name for item in free] == ["fc_weight", "fc_bias"]


def test_the_copy_knows_no_shapes_and_shares_no_nodes():
    made = []
    outputs, _, _ = cut_out(lambda x: made.append(x + 1) or made, "x")
    assert outputs[0][0] is not made[0].edges[0][0]
    assert all(not found.shape for node, _ in outputs for found in node.types)


def test_names_of_inputs_are_different():
    first, second = sym.var("w"), sym.exp(sym.var("y"), name="w")
    other = sym.Symbol([(Node("w_output"), 0)])
    outputs, free, _ = cut_out(lambda x: [x + second + other + first], "w")
    assert sorted(sym.Symbol(outputs).list_arguments()) == ["w", "w_1", "w_output", "w_output_1"]
    assert len(free) == 3


def test_outputs_are_no_inputs_and_all_different():
    outputs, _, own = cut_out(lambda x: [x, (y := x + 1), y], "x")
    assert len({id(node) for node, _ in outputs}) == 3
    assert own[0] not in [node for node, _ in outputs]


def test_positions_come_in_the_order_of_computation():
    a, b = Node("a"), Node("b")
    total = sym.Symbol([(b, 0)]) + sym.Symbol([(a, 0)])
    assert input_positions(Subgraph(total.edges, [a, None, b])) == [2, 0]


@pytest.mark.plugins
def test_states_are_known():
    net = sym.BatchNorm(sym.var("x"), name="bn")
    graph = Subgraph(net.edges, net.argument_nodes() + net.state_nodes())
    assert len(graph.states) == 2
    assert graph.symbol.list_outputs() == ["bn_output"]
