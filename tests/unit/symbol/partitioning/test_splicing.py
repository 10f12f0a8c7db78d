"""Insertion of replacements into a graph."""

from opforge import sym
from opforge.symbol.partitioning.splicing import named_outputs, splice


def test_a_replacement_reads_outputs_of_the_graph():
    source = sym.exp(sym.var("x"), name="e").edges[0]
    replacement = sym.sin(sym.var("input"), name="s") * sym.var("scale")
    (edge,) = splice(replacement, {"input": source}, {"scale": 1}, ["y_output"], {"x", "e"})
    found = type(replacement)([edge])
    assert found.list_outputs() == ["y_output"]
    assert found.list_arguments() == ["x", "scale"]


def test_names_that_are_taken_get_a_number():
    replacement = sym.sin(sym.sin(sym.var("x"), name="s"), name="s")
    taken = {"x", "s"}
    edges = splice(replacement, {"x": sym.var("x").edges[0]}, {}, ["y_output"], taken)
    assert [node.name for node in type(replacement)(edges).nodes()] == ["x", "s_1", "y"]
    assert taken == {"x", "s", "s_1", "y"}


def test_one_output_may_replace_two():
    x = sym.sin(sym.var("x"), name="s")
    names = ["a_output", "b_output"]
    edges = splice(sym.Group([x, x]), {"x": sym.var("x").edges[0]}, {}, names, set())
    assert edges[0] == edges[1] and edges[0][0].name == "a"


def test_outputs_are_named_by_identity_nodes():
    x = sym.sin(sym.var("x"), name="s")
    parts = sym.SliceChannel(x, num_outputs=2, name="p")
    edges = named_outputs([*x.edges, *parts.edges], ["s_output", "a_output", "b_output"])
    assert [node.name for node, _ in edges] == ["s", "a", "b"]
    assert edges[1][0].operation.name == "_copy"


def test_names_of_several_outputs_stay():
    parts = sym.SliceChannel(sym.var("x"), num_outputs=2, name="p")
    assert named_outputs(parts.edges, ["q_output0", "q_output1"]) == list(parts.edges)
