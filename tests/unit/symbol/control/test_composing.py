import pytest

from opforge import sym
from opforge.name import NameManager
from opforge.symbol.control.composing import joined, own_variables, traced
from opforge.symbol.node import UNKNOWN, Type


def test_own_variables_are_named_after_what_they_stand_for():
    x, parts = sym.var("x"), sym.split(sym.var("y"), num_outputs=2, name="s")
    edges = [x.edges[0], parts.edges[1], x.edges[0]]
    found = own_variables(edges, [Type((2,), 0), UNKNOWN, UNKNOWN])
    assert [node.name for node in found] == ["x-0", "s-1", "x-0'"]
    assert found[0].types == [Type((2,), 0)]
    assert found[1].types[0] is UNKNOWN


def test_what_is_known_of_own_variables_is_forgotten():
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
def test_subgraphs_share_what_they_read_and_states_come_last():
    a, b = sym.var("a"), sym.var("b")
    mean, var = sym.var("mean"), sym.var("var")
    first = traced([], lambda _: [(sym.BatchNorm(a, b, b, mean, var), "it")])
    second = traced([], lambda _: [(b + 1, "it")])
    edges, graphs = joined([first, second])
    assert [node.name for node, _ in edges] == ["a", "b", "mean", "var"]
    assert [node and node.name for node in graphs[1].variables] == [None, "b", None, None]


def test_nodes_are_named_as_in_mxnet():
    with NameManager():
        out, _ = sym.contrib.foreach(lambda r, s: (r, s), sym.var("x"), sym.var("h"))
        assert out.list_outputs() == ["_foreach0_output0"]
