"""Graphs as backends see them."""

import numpy as np
import pytest

from opforge import nd, sym
from opforge.symbol.inference.inferred_symbol import infer_types_of
from opforge.symbol.partitioning.subgraph import GraphNode, Subgraph


def subgraph():
    symbol = sym.sum(sym.dot(sym.var("a"), sym.var("b"), name="d"), axis=(0,), name="s")
    types = infer_types_of(symbol.edges, {"a": (2, 3), "b": (3, 4)}, {"a": 0}).types
    return Subgraph("part", symbol, types, {"b": nd.ones((3, 4))}, {}, {"a", "b", "d", "s"})


def test_nodes_have_operators_attributes_and_inputs():
    graph = subgraph()
    dot, total = graph.nodes
    assert (dot.name, dot.operator, dot.input_names) == ("d", "dot", ("a", "b"))
    assert (total.operator, total.input_names) == ("sum", ("d_output",))
    assert total.attributes["axis"] == "(0,)"
    assert [x.name for x in dot.inputs] == ["a", "b"]
    assert repr(dot) == "<GraphNode d: dot>"


def test_nodes_have_the_known_shapes_and_types():
    graph = subgraph()
    dot, total = graph.nodes
    assert dot.input_shapes == ((2, 3), (3, 4))
    assert total.output_shapes == ((4,),)
    assert total.output_dtypes == (np.float32,)


def test_unknown_shapes_and_types_are_empty():
    node = sym.exp(sym.var("x"), name="y").edges[0][0]
    view = GraphNode(node, {id(n): n.types for n in (node, node.inputs[0][0])})
    assert (view.input_shapes, view.output_dtypes) == (((),), (None,))


@pytest.mark.plugins
def test_hidden_outputs_are_not_shown():
    node = sym.Dropout(sym.var("x"), name="y").edges[0][0]
    view = GraphNode(node, {id(n): n.types for n in (node, node.inputs[0][0])})
    assert len(view.output_shapes) == node.num_visible


def test_inputs_are_variables_by_name():
    graph = subgraph()
    assert list(graph.inputs) == ["a", "b"]
    assert list(graph.args) == ["b"]
    assert repr(graph) == "<Subgraph part: dot, sum>"


def test_parameters_have_the_shape_of_their_value():
    graph = subgraph()
    added = graph.add_parameter("part_weight", nd.ones((2, 2)))
    assert (added.list_arguments(), added.shape) == (["part_weight"], (2, 2))
