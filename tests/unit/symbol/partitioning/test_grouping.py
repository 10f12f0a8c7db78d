"""Groups are convex and maximal."""

import graphlib
import random

import pytest

from opforge import sym
from opforge.symbol.partitioning.grouping import convex_groups


def random_graph(seed):
    """Return the nodes of a random graph, and the ids of a random choice of them."""
    generator = random.Random(seed)
    values = [sym.var("x")]
    for number in range(generator.randint(3, 25)):
        inputs = generator.sample(values[-12:], min(len(values), generator.randint(1, 3)))
        values.append(sym.add_n(*inputs, name=f"n{number}"))
    nodes = sym.Group(values[-4:]).nodes()
    share = generator.choice([0.3, 0.6, 0.9])
    chosen = {id(n) for n in nodes if not n.is_variable and generator.random() < share}
    return nodes, chosen


def is_acyclic(nodes, group_of):
    sorter = graphlib.TopologicalSorter()
    for node in nodes:
        own = group_of[id(node)]
        sorter.add(own, *{group_of[id(source)] for source, _ in node.inputs} - {own})
    try:
        sorter.prepare()
    except graphlib.CycleError:
        return False
    return True


@pytest.mark.parametrize("seed", range(100))
def test_groups_are_convex_and_maximal(seed):
    nodes, chosen = random_graph(seed)
    group_of = {id(node): node.name for node in nodes}
    for number, group in enumerate(convex_groups(nodes, chosen)):
        group_of.update({id(node): number for node in group})
    assert is_acyclic(nodes, group_of)
    for node in nodes:
        for source, _ in node.inputs:
            pair = group_of[id(source)], group_of[id(node)]
            if chosen >= {id(source), id(node)} and pair[0] != pair[1]:
                merged = {key: pair[0] if g == pair[1] else g for key, g in group_of.items()}
                assert not is_acyclic(nodes, merged)


def names_of(groups):
    return [[node.name for node in group] for group in groups]


def test_a_path_through_another_node_separates_a_group():
    x = sym.sin(sym.var("x"), name="a")
    y = sym.elemwise_add(x, sym.cos(x, name="b"), name="c")
    nodes = y.nodes()
    chosen = {id(node) for node in nodes if node.name in ("a", "c")}
    assert names_of(convex_groups(nodes, chosen)) == [["a"], ["c"]]


def test_nodes_that_share_only_a_variable_are_separate():
    x = sym.var("x")
    nodes = sym.Group([sym.sin(x, name="a"), sym.cos(x, name="b")]).nodes()
    assert names_of(convex_groups(nodes, set(map(id, nodes[1:])))) == [["a"], ["b"]]


def test_edges_may_be_forbidden():
    nodes = sym.exp(sym.sin(sym.cos(sym.var("x"), name="a"), name="b"), name="c").nodes()
    chosen = set(map(id, nodes[1:]))
    groups = convex_groups(nodes, chosen, lambda producer, consumer: consumer.name != "b")
    assert names_of(groups) == [["a"], ["b", "c"]]


def test_long_chains_take_linear_time():
    y = sym.var("x")
    for _ in range(5000):
        y = sym.exp(y)
    nodes = y.nodes()
    assert [len(group) for group in convex_groups(nodes, set(map(id, nodes[1:])))] == [5000]
