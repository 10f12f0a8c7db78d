import pytest

from opforge import nd, sym
from opforge.base.errors import OpforgeError, ShapeError, UnknownShapeError
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import topological

F32, F64 = 0, 1


def operators(graph):
    return [n.operation.name for n in topological(graph.outputs) if n.operation]


def test_types_are_settled_everywhere():
    y = sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc")
    graph = lower(y, {"x": (2, 3)}, {"x": F64})
    assert {name: node.types[0].shape for name, node in graph.variables.items()} == {
        "x": (2, 3),
        "fc_weight": (4, 3),
        "fc_bias": (4,),
    }
    ((node, index),) = graph.outputs
    assert (node.types[index].shape, node.types[index].code) == ((2, 4), F64)
    assert node.plan is not None


def test_unspecified_types_are_float32():
    graph = lower(sym.var("x") + 1, {"x": (2,)}, {})
    assert graph.variables["x"].types[0].code == F32


@pytest.mark.plugins
def test_operators_that_are_composed_become_their_parts():
    y = sym.min_max_norm(sym.var("x"), axis=1)
    assert len(y.nodes()) == 2
    graph = lower(y, {"x": (2, 3)}, {})
    assert "min_max_norm" not in operators(graph)
    assert {"min", "max"} <= set(operators(graph))


def test_the_symbol_is_left_alone():
    x = sym.var("x")
    y = sym.tanh(x)
    for shape in ((2, 3), (5,)):
        graph = lower(y, {"x": shape}, {})
        assert graph.outputs[0][0].types[0].shape == shape
    assert not y.nodes()[0].types[0].known


def test_outputs_may_be_variables_and_come_twice():
    x = sym.var("x")
    graph = lower(sym.Group([x, x * 2, x]), {"x": (2,)}, {})
    first, second, third = graph.outputs
    assert first == third == (graph.variables["x"], 0)
    assert second[0].operation is not None


def test_an_unknown_shape_names_the_argument():
    with pytest.raises(OpforgeError, match="shape of the argument 'b' is unknown"):
        lower(sym.broadcast_add(sym.var("a"), sym.var("b")), {"a": (2,)}, {})


def test_contradictions_name_the_node():
    y = sym.elemwise_add(sym.var("a"), sym.var("b"), name="total")
    with pytest.raises(ShapeError, match="total"):
        lower(y, {"a": (2,), "b": (3,)}, {})


def test_two_variables_of_one_name_are_rejected():
    with pytest.raises(OpforgeError, match="two variables named 'x'"):
        lower(sym.var("x") * sym.var("x"), {"x": (2,)}, {})
    with pytest.raises(OpforgeError, match="two variables named 'w'"):
        lower(sym.dot(sym.dot(sym.var("x"), sym.var("w")), sym.var("w")), {"x": (2, 2)}, {})


def test_results_without_elements_are_rejected_by_name():
    y = sym.exp(sym.slice_axis(sym.var("x"), axis=0, begin=1, end=1, name="cut"))
    with pytest.raises(UnknownShapeError, match=r"'cut'.*\(0, 3\)"):
        lower(y, {"x": (2, 3)}, {})


def test_a_long_graph_is_lowered_without_recursion():
    y = sym.var("x")
    for _ in range(3000):
        y = y + 1
    assert len(operators(lower(y, {"x": (1,)}, {}))) == 3000
    assert y.eval(x=nd.zeros(1))[0].asscalar() == 3000
