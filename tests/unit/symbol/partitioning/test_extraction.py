"""Extraction of groups of nodes from a graph."""

from opforge import sym
from opforge.symbol.partitioning.extraction import extract, outputs_of_group, users_of_edges


def extracted(net, names, taken=()):
    nodes = net.nodes()
    group = [node for node in nodes if node.name in names]
    outputs = outputs_of_group(group, users_of_edges(net))
    types = {id(node): node.types for node in nodes}
    part, variables, _ = extract(group, outputs, types, set(taken))
    return part, variables, outputs


def test_values_from_outside_become_variables():
    x = sym.exp(sym.var("x"), name="e")
    net = sym.elemwise_add(sym.sin(x, name="s"), sym.var("b"), name="y")
    part, variables, outputs = extracted(net, {"s", "y"})
    assert part.list_arguments() == ["e_output", "b"]
    assert [variables[name][0].name for name in variables] == ["e", "b"]
    assert [node.name for node, _ in outputs] == ["y"]


def test_an_output_read_twice_is_one_variable():
    x = sym.exp(sym.var("x"), name="e")
    part, variables, _ = extracted(sym.elemwise_add(x, x, name="y"), {"y"})
    assert part.list_arguments() == list(variables) == ["e_output"]


def test_outputs_are_those_that_the_graph_or_its_caller_uses():
    x = sym.exp(sym.var("x"), name="e")
    net = sym.Group([sym.sin(x, name="s"), x])
    assert [node.name for node, _ in extracted(net, {"e", "s"})[2]] == ["e", "s"]
    assert [node.name for node, _ in extracted(net[0], {"e", "s"})[2]] == ["s"]


def test_names_of_variables_are_unique():
    x, other = sym.exp(sym.var("x"), name="e"), sym.var("e_output")
    net = sym.elemwise_add(x, other, name="y")
    part, variables, _ = extracted(net, {"y"}, taken={"e_output"})
    assert part.list_arguments() == list(variables) == ["e_output_1", "e_output"]


def test_the_copy_is_separate():
    net = sym.exp(sym.var("x", shape=(2,)), name="y")
    part, _, _ = extracted(net, {"y"})
    assert part.edges[0][0] is not net.edges[0][0]
    assert part.attr_dict()["x"] == {"__shape__": "(2,)"}
