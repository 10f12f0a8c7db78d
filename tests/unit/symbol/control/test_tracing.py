import json
import re
from collections import defaultdict

import pytest

import opforge as mx
from opforge import sym
from opforge.name import NameManager
from opforge.symbol.control.tracing import merge_inputs, own_variables, traced
from opforge.symbol.node import UNKNOWN, Type


def test_own_variables_are_named_after_their_source():
    x, parts = sym.var("x"), sym.split(sym.var("y"), num_outputs=2, name="s")
    edges = [x.edges[0], parts.edges[1], x.edges[0]]
    found = own_variables(edges, [Type((2,), 0), UNKNOWN, UNKNOWN])
    assert [node.name for node in found] == ["x-0", "s-1", "x-0'"]
    assert found[0].types == [Type((2,), 0)]
    assert found[1].types[0] is UNKNOWN


def test_types_of_own_variables_are_cleared():
    own = own_variables([sym.var("x").edges[0]], [Type((2,), 0)])
    shapes = []

    def call(inside):
        x = next(inside)
        shapes.append((x + 1).shape)
        return [(x + 1, "it")]

    part = traced(own, call)
    assert shapes == [(2,)]
    assert own[0].types[0] is UNKNOWN
    assert (part.answers[0].count, part.answers[0].structure) == (1, "here")


@pytest.mark.plugins
def test_subgraphs_share_inputs_and_states_come_last():
    a, b = sym.var("a"), sym.var("b")
    mean, var = sym.var("mean"), sym.var("var")
    first = traced([], lambda _: [(sym.BatchNorm(a, b, b, mean, var), "it")])
    second = traced([], lambda _: [(b + 1, "it")])
    edges, graphs = merge_inputs([first, second])
    assert [node.name for node, _ in edges] == ["a", "b", "mean", "var"]
    assert [node and node.name for node in graphs[1].variables] == [None, "b", None, None]


def test_nodes_are_named_as_in_mxnet():
    with NameManager():
        out, _ = sym.contrib.foreach(lambda r, s: (r, s), sym.var("x"), sym.var("h"))
        assert out.list_outputs() == ["_foreach0_output0"]


def attributes_inside(symbol):
    """Return the attributes of the nodes in the first subgraphs of a symbol's JSON, by name."""
    (node,) = [node for node in json.loads(symbol.tojson())["nodes"] if "subgraphs" in node]
    inner = [part for graph in node["subgraphs"] for part in graph["nodes"]]
    return {part["name"]: part.get("attrs", {}) for part in inner}


def loop_of(x, w, name="turns"):
    return sym.contrib.foreach(lambda row, state: (row * w, sym.exp(state)), x, w, name=name)[0]


def test_attributes_of_a_scope_reach_the_nodes_of_a_subgraph():
    x, w = sym.var("x"), sym.var("w")
    with mx.AttrScope(ctx_group="dev1", __layer__="7"):
        found = [
            loop_of(x, w),
            sym.contrib.while_loop(lambda a: a < 3, lambda a: (a, a * w), x, 4)[0],
            sym.contrib.cond(x < w, lambda: x * w, lambda: sym.exp(x)),
        ]
    for symbol in found:
        inside = attributes_inside(symbol)
        made = {name: attrs for name, attrs in inside.items() if "__subgraph_name__" in attrs}
        assert len(made) >= 2
        for attrs in made.values():
            assert (attrs["__ctx_group__"], attrs["__layer__"]) == ("dev1", "7")
    assert "__ctx_group__" not in attributes_inside(loop_of(x, w))["w-0"]


def test_subgraphs_have_numbered_names_behind_that_of_the_one_around():
    x, w = sym.var("x"), sym.var("w")
    first, second = (attributes_inside(loop_of(x, w, "again")) for _ in range(2))
    assert first["x-0"]["__subgraph_name__"] == "again0"
    assert second["x-0"]["__subgraph_name__"] == "again1"
    nested = sym.contrib.foreach(
        lambda rows, state: (loop_of(rows, state, "inner"), state), x, w, name="outer"
    )[0]
    names = set(re.findall(r'"__subgraph_name__": "([^"]*)"', nested.tojson()))
    assert names == {"outer0", "outer0$inner0"}
    loaded = sym.load_json(nested.tojson())
    assert loaded.infer_shape(x=(2, 3, 4), w=(4,)) == nested.infer_shape(x=(2, 3, 4), w=(4,))


def test_programs_may_reset_the_subgraph_count(monkeypatch):
    monkeypatch.setattr(mx.AttrScope, "_subgraph_names", defaultdict(int))
    x, w = sym.var("x"), sym.var("w")
    for _ in range(2):
        loop_of(x, w, "again")
    assert mx.AttrScope._subgraph_names == {"again": 2}
    assert attributes_inside(loop_of(x, w, "again"))["x-0"]["__subgraph_name__"] == "again2"
