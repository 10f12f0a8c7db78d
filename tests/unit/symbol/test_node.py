import pytest

from opforge import sym
from opforge.base.numpy_semantics import np_shape
from opforge.symbol.node import UNKNOWN, Node, Type, topological


def names(nodes):
    return [node.name for node in nodes]


def test_types_are_known_when_nothing_is_open():
    assert Type((2, 3), 0).known
    assert not Type((2, 0), 0).known
    assert not Type((), 0).known
    assert not Type((2, 3), -1).known
    assert not UNKNOWN.known
    with np_shape():
        assert Type((), 0).known
        assert not Type((), -1).known
        assert not Type((2, 0), 0).known


def test_a_variable_has_one_output_of_its_own_name():
    node = Node("x", attrs={"a": "b"})
    assert node.is_variable
    assert (node.num_outputs, node.num_visible, node.output_names()) == (1, 1, ["x"])
    assert node.state_inputs == ()
    assert node.types == [UNKNOWN]
    assert repr(node) == "<Node x: variable>"


@pytest.mark.plugins
def test_an_operator_has_hidden_outputs_and_states():
    node = sym.BatchNorm(sym.var("x"), name="bn").edges[0][0]
    assert not node.is_variable
    assert (node.num_outputs, node.num_visible) == (3, 1)
    assert node.output_names() == ["bn_output", "bn_mean", "bn_var"]
    assert names(source for source, _ in node.state_inputs) == ["bn_moving_mean", "bn_moving_var"]
    assert repr(node) == "<Node bn: BatchNorm>"
    assert node.operation.prop.eps == 1e-3
    assert node.operation.entry.name == "BatchNorm"


def test_inferred_types_can_be_cleared():
    node = (sym.zeros((2,)) + 1).edges[0][0]
    assert node.types[0].known
    node.forget()
    assert node.types == [UNKNOWN]
    assert node.plan is None


def test_topological_order_has_inputs_before_users():
    a, b = sym.var("a"), sym.var("b")
    c = sym.broadcast_add(a, b, name="c")
    d = sym.broadcast_mul(c, a, name="d")
    roots = [d.edges[0], c.edges[0]]
    assert names(topological(roots)) == ["a", "b", "c", "d"]
    assert names(topological(reversed(roots))) == ["a", "b", "c", "d"]
    assert topological([]) == []


def test_the_walk_is_not_limited_by_the_depth():
    x = sym.var("x")
    for _ in range(5_000):
        x = x + 1
    assert len(topological(x.edges)) == 5_001
