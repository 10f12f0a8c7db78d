"""Optimized graphs compute the same results under the same names."""

import numpy as np
import pytest

from opforge import autograd, cpu, nd, subgraph, sym
from opforge.base.errors import DTypeError, OpforgeError, ShapeError


class Copying(subgraph.SubgraphBackend):
    """Replaces subgraphs of the given operators by equal ones, and notes them."""

    def __init__(self, *operators):
        self.operators = operators
        self.subgraphs = []

    def supports(self, node):
        return not self.operators or node.operator in self.operators

    def replace(self, subgraph):
        self.subgraphs.append([node.operator for node in subgraph.nodes])
        return subgraph.symbol


class Returning(subgraph.SubgraphBackend):
    """Replaces each exponential by the result of a function of the subgraph."""

    def __init__(self, function):
        self.function = function

    def supports(self, node):
        return node.operator == "exp"

    def replace(self, subgraph):
        return self.function(subgraph)


def diamond():
    x = sym.exp(sym.var("data"), name="e")
    return sym.elemwise_add(sym.cos(x, name="c"), sym.sin(x, name="s"), name="sum")


def with_states():
    net = diamond()
    for number in range(2):
        net = sym.BatchNorm(net, name=f"bn{number}")
    return net


def several_outputs():
    parts = sym.SliceChannel(sym.var("data"), num_outputs=2, axis=1, name="parts")
    return sym.Group([parts[1], parts[0] * 2, parts[1] + 1])


def repeated_outputs():
    x = sym.exp(sym.var("data"), name="e")
    return sym.Group([x, x, sym.elemwise_add(x, x, name="twice")])


def loop():
    data = sym.var("data")
    outputs, state = sym.contrib.foreach(
        lambda x, s: (x + s, sym.broadcast_add(s, sym.sum(data))), data, sym.var("start")
    )
    return sym.Group([sym.exp(outputs, name="e"), state])


def shared_subexpression():
    weight = sym.var("weight")
    data = sym.var("data")
    square = sym.square(weight, name="square")
    return sym.Group([data * square, sym.exp(square, name="e")])


GRAPHS = [
    (diamond, {"data": (2, 3)}),
    (with_states, {"data": (4, 3)}),
    (several_outputs, {"data": (2, 4)}),
    (repeated_outputs, {"data": (3,)}),
    (loop, {"data": (3, 2), "start": (2,)}),
    (shared_subexpression, {"data": (2, 3), "weight": (2, 3)}),
]
CHOICES = [
    (),
    ("exp",),
    ("exp", "cos", "elemwise_add"),
    ("BatchNorm",),
    ("BatchNorm", "elemwise_add"),
    ("SliceChannel", "_plus_scalar"),
    ("_foreach",),
    ("square", "elemwise_mul"),
]


def run(symbol, shapes, values):
    """Return outputs, gradients and states after a step of training."""
    executor = symbol.simple_bind(cpu(), **shapes)
    for name, array in {**executor.arg_dict, **executor.aux_dict}.items():
        array[:] = values.setdefault(name, nd.random.uniform(shape=array.shape))
    outputs = executor.forward(is_train=True)
    executor.backward([nd.ones(array.shape) for array in outputs])
    found = dict(zip(symbol.list_outputs(), outputs, strict=True))
    found |= {f"grad {name}": array for name, array in executor.grad_dict.items()}
    found |= executor.aux_dict
    return {name: array.asnumpy() for name, array in found.items()}


@pytest.mark.plugins
@pytest.mark.parametrize("operators", CHOICES)
@pytest.mark.parametrize(("make", "shapes"), GRAPHS)
def test_results_and_names_stay(make, shapes, operators):
    net, backend = make(), Copying(*operators)
    optimized = net.optimize_for(backend, shape_dict=shapes)
    assert optimized.list_outputs() == net.list_outputs()
    assert optimized.list_arguments() == net.list_arguments()
    assert optimized.list_auxiliary_states() == net.list_auxiliary_states()
    values = {}
    expected, actual = run(net, shapes, values), run(optimized, shapes, values)
    assert expected.keys() == actual.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(actual[name], value, err_msg=name)


def test_subgraphs_are_convex():
    backend = Copying("exp", "sin", "elemwise_add")
    diamond().optimize_for(backend)
    assert backend.subgraphs == [["exp", "sin"], ["elemwise_add"]]


def test_the_original_graph_stays():
    net = diamond()
    before = net.tojson()
    net.optimize_for(Returning(lambda graph: sym.expm1(graph.inputs["data"]) + 1))
    assert net.tojson() == before


def test_one_operator_replaces_several():
    class Tangent(subgraph.SubgraphBackend):
        def supports(self, node):
            return node.operator in ("sin", "cos", "elemwise_div")

        def replace(self, subgraph):
            assert subgraph.symbol.list_outputs() == ["q_output"]
            return sym.tan(*subgraph.inputs.values())

    x = sym.exp(sym.var("x"), name="e")
    net = sym.sqrt(sym.elemwise_div(sym.sin(x), sym.cos(x), name="q"), name="y")
    optimized = net.optimize_for(Tangent)
    names = [(n.name, n.operation.name) for n in optimized.nodes() if n.operation]
    assert names == [("e", "exp"), ("q", "tan"), ("y", "sqrt")]


def test_outputs_that_are_inputs_keep_their_names():
    x = sym.var("x")
    net = sym.Group([sym.exp(x, name="y"), sym.sin(x, name="z")])
    optimized = net.optimize_for(Returning(lambda graph: graph.inputs["x"]))
    assert optimized.list_outputs() == ["y_output", "z_output"]
    assert optimized.eval(x=nd.array([2.0]))[0].asscalar() == 2


def test_names_of_replacements_are_unique():
    net = sym.exp(sym.exp(sym.var("x"), name="b") * 2, name="y")
    optimized = net.optimize_for(
        Returning(lambda graph: sym.exp(sym.identity(*graph.inputs.values(), name="b"), name="b"))
    )
    names = [node.name for node in optimized.nodes()]
    assert len(set(names)) == len(names)
    assert {"b", "y"} < set(names)


def test_shapes_are_inferred_from_arrays():
    seen = {}

    class Looking(subgraph.SubgraphBackend):
        def supports(self, node):
            seen[node.name] = node.input_shapes, node.output_shapes, node.output_dtypes
            return False

    net = sym.dot(sym.var("a"), sym.var("b"), name="d")
    net.optimize_for(Looking, {"a": nd.ones((2, 3))}, shape_dict={"b": (3, 4)})
    assert seen["d"] == (((2, 3), (3, 4)), ((2, 4),), (np.float32,))
    net.optimize_for(Looking, {"a": nd.ones((2, 3))}, skip_infer=True)
    assert seen["d"] == (((), ()), ((),), (None,))


def test_wrong_shapes_are_reported():
    net = sym.dot(sym.var("a"), sym.var("b"), name="d")
    with pytest.raises(ShapeError, match="'d'"):
        net.optimize_for(Copying(), {"a": nd.ones((2, 3)), "b": nd.ones((2, 3))})


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda graph: "text", TypeError, "is 'text'; expected a Symbol or None"),
        (lambda graph: sym.Group([graph.symbol] * 2), OpforgeError, "has 2 outputs; expected 1"),
        (lambda graph: sym.var("z") * 2, OpforgeError, r"variable 'z'.*its inputs are x"),
        (lambda graph: sym.sum(graph.symbol, axis=0), ShapeError, r"\(3,\).*expected \(2, 3\)"),
        (lambda graph: sym.cast(graph.symbol, "int32"), DTypeError, "int32.*expected float32"),
        (lambda graph: sym.dot(graph.symbol, graph.symbol), ShapeError, "dot"),
        (lambda graph: graph.inputs["y"], KeyError, "y"),
        (lambda graph: cyclic(graph.symbol), OpforgeError, "has a cycle"),
        (lambda graph: graph.add_parameter("x", nd.ones(1)), OpforgeError, "already has a node"),
        (lambda graph: graph.add_parameter("p", 1), TypeError, "must be an NDArray, got 1"),
    ],
)
def test_unsuitable_replacements_are_rejected(function, error, text):
    net = sym.exp(sym.var("x"), name="y")
    before = net.tojson()
    with pytest.raises(error, match=text) as caught:
        net.optimize_for(Returning(function), {"x": nd.ones((2, 3))})
    (note,) = caught.value.__notes__
    assert "subgraph backend 'returning'" in note and "<Subgraph returning0: exp>" in note
    assert net.tojson() == before


def cyclic(symbol):
    """Return a damaged symbol."""
    ((node, _),) = symbol.edges
    node.inputs = ((node, 0),)
    return symbol


def test_backends_may_optimize_in_turn():
    class Nested(Returning):
        def __init__(self):
            super().__init__(lambda graph: graph.symbol.optimize_for(Nested))

    with pytest.raises(RecursionError) as caught:
        sym.exp(sym.var("x"), name="y").optimize_for(Nested)
    assert len(set(caught.value.__notes__)) == len(caught.value.__notes__)


def test_values_that_a_backend_computes_are_constants():
    def scaled(graph):
        assert not autograd.is_recording()
        packed = graph.add_parameter("packed", graph.args["x"] * 2)
        return sym.exp(packed / 2)

    args = {"x": nd.ones(2)}
    args["x"].attach_grad()
    with autograd.record():
        sym.exp(sym.var("x"), name="y").optimize_for(Returning(scaled), args)
        assert autograd.is_recording()
    with pytest.raises(OpforgeError):
        args["packed"].backward()


def test_backends_may_not_change_the_callers_graph():
    class Damaging(subgraph.SubgraphBackend):
        def supports(self, node):
            node.inputs[0].edges[0][0].name = "other"
            node.attributes.clear()
            return True

        def replace(self, subgraph):
            return None

    net = sym.exp(sym.sum(sym.var("x"), axis=0), name="y")
    before = net.tojson()
    net.optimize_for(Damaging, {})
    assert net.tojson() == before


def test_the_entire_graph_may_be_replaced():
    class Pass(subgraph.SubgraphBackend):
        def transform(self, graph):
            assert [node.operator for node in graph.nodes] == ["exp", "cos", "sin", "elemwise_add"]
            return sym.tanh(graph.inputs["data"] * graph.add_parameter("scale", nd.array([2.0])))

    args = {"data": nd.array([0.5])}
    optimized = diamond().optimize_for(Pass, args)
    assert optimized.list_outputs() == ["sum_output"]
    assert sorted(args) == ["data", "scale"]
    np.testing.assert_allclose(optimized.eval(**args)[0].asnumpy(), np.tanh([1.0]), rtol=1e-6)


def test_the_entire_graph_is_replaced_before_subgraphs():
    class Both(Copying):
        def transform(self, graph):
            return sym.cos(graph.symbol)

    backend = Both()
    sym.exp(sym.var("x"), name="y").optimize_for(backend)
    assert backend.subgraphs == [["exp", "cos"]]


def test_backends_apply_to_their_own_results():
    def doubled(graph):
        return sym.exp(*graph.inputs.values()) * graph.add_parameter(
            f"{graph.name}_one", nd.ones(1)
        )

    args = {"x": nd.zeros(1)}
    net = sym.exp(sym.var("x"), name="y")
    for _ in range(3):
        net = net.optimize_for(Returning(doubled), args)
    assert sorted(args) == ["returning0_one", "returning1_one", "returning2_one", "x"]
    assert net.list_outputs() == ["y_output"]
    assert net.eval(**args)[0].asscalar() == 1
