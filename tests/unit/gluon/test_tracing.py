import collections

import pytest

import opforge as mx
from opforge import gluon, nd, sym
from opforge.base.errors import ShapeError
from opforge.base.nesting import flatten, unflatten
from opforge.base.numpy_semantics import np_shape
from opforge.gluon.tracing import parameter_symbol, trace
from opforge.ndarray import NDArray
from opforge.symbol.node import Type

Pair = collections.namedtuple("Pair", "left right")


class Calls(gluon.HybridBlock):
    """Calls a function; the shape of `weight` is deferred."""

    def __init__(self, function, **kwargs):
        super().__init__(**kwargs)
        self._function = function
        self.weight = self.params.get("weight", shape=(2, 0), allow_deferred_init=True)

    def hybrid_forward(self, F, *args, weight):
        return self._function(F, *args, weight)


def traced(function, *shapes, **kwargs):
    block = Calls(function, **kwargs)
    block.initialize()
    arrays = [nd.zeros(shape) for shape in shapes]
    found = []
    structure = flatten(tuple(arrays), NDArray, found)
    return block, trace(block, structure, [Type(a.shape, a.dtype_code) for a in found])


def linear(F, x, weight):
    return F.FullyConnected(x, weight, num_hidden=2, no_bias=True)


def test_the_graph_has_the_inputs_and_the_parameters():
    block, found = traced(linear, (4, 3), prefix="net_")
    assert found.symbol.list_arguments() == ["data", "net_weight"]
    assert found.parameters == {"net_weight": block.weight}
    _, found = traced(lambda F, x, y, weight: x + y, (1,), (1,))
    assert found.symbol.list_arguments() == ["data0", "data1"]


def test_shapes_of_parameters_are_completed():
    block, found = traced(linear, (4, 3))
    assert block.weight._deferred_init
    found.complete(block)
    assert block.weight.shape == (2, 3)
    assert block.weight.data().shape == (2, 3)


def test_undetermined_shapes_name_the_parameter():
    block, found = traced(lambda F, x, weight: F.broadcast_add(x, F.sum(weight)), (4, 3))
    with pytest.raises(ShapeError, match=rf"{block.weight.name} before an operator"):
        found.complete(block)


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda F, x, w: x, 1),
        (lambda F, x, w: [x, (x + 1, [x])], 3),
        (lambda F, x, w: (F.split(x, num_outputs=3), None), 3),
        (lambda F, x, w: Pair(x, x * 2), 2),
    ],
)
def test_outputs_are_nested_as_those_of_the_imperative_run(function, count):
    _, found = traced(function, (2, 3))
    values = [nd.zeros(1)] * count
    have = unflatten(found.structure, iter(values))
    imperative = []
    want = flatten(function(nd, nd.zeros((2, 3)), None), NDArray, imperative)
    assert len(imperative) == count
    assert flatten(have, NDArray, []) == want


@pytest.mark.parametrize("result", [{"y": 1}, {1, 2}, object()])
def test_outputs_that_could_hide_symbols_are_rejected(result):
    with pytest.raises(TypeError, match=r"must be \(nested\) list of Symbol or NDArray"):
        traced(lambda F, x, w: [x, result], (1,))


def test_a_graph_needs_an_output():
    with pytest.raises(TypeError, match="returned no Symbol"):
        traced(lambda F, x, w: [None], (1,))


def test_a_parameter_is_its_own_variable_outside_of_a_trace():
    parameter = gluon.Parameter("p", shape=(2,))
    assert parameter_symbol(parameter).list_arguments() == ["p"]
    assert parameter_symbol(parameter).edges == parameter.var().edges


def test_a_parameter_that_is_used_twice_is_one_variable():
    _, found = traced(lambda F, x, w: linear(F, x, w) + linear(F, x, w), (2, 3))
    assert len(found.symbol.list_arguments()) == 2


def test_a_trace_within_a_trace():
    """Calls of hybrid_forward on arrays that it creates have a separate graph."""
    inner = Calls(linear)
    inner.initialize()
    inner.hybridize()

    def outer(F, x, w):
        inner(nd.ones((1, 3)))
        return linear(F, x, w)

    _, found = traced(outer, (4, 3), prefix="outer_")
    assert found.symbol.list_arguments() == ["data", "outer_weight"]
    assert isinstance(found.symbol, sym.Symbol)


def test_an_exception_ends_the_trace():
    def fails(F, x, w):
        raise KeyError("in the author's code")

    with pytest.raises(KeyError):
        traced(fails, (1,))
    parameter = gluon.Parameter("p", shape=(2,))
    assert parameter_symbol(parameter).edges == parameter.var().edges
    assert mx.current_context() == mx.cpu()


@pytest.mark.parametrize("shape", [None, (0, 0), (-1, -1), (2, -1)])
@pytest.mark.parametrize("hybridized", [False, True])
def test_shapes_are_completed_with_shapes_of_numpy(shape, hybridized):
    with np_shape():
        block = Calls(linear)
        block.weight._shape = shape
        block.initialize()
        block.hybridize(hybridized)
        assert block(nd.ones((4, 3))).shape == (4, 2)
        assert block.weight.shape == (2, 3)


def test_whole_graph_inference_completes_parameters():
    # Not the operator that uses it: its other input is inferred from a later one.
    def late(F, x, weight):
        state = F.FullyConnected(F.zeros((0, 5)), F.zeros((3, 5)), num_hidden=3, no_bias=True)
        return F.FullyConnected(F.elemwise_add(state, x), weight, num_hidden=2, no_bias=True)

    block, found = traced(late, (4, 3))
    found.complete(block)
    assert block.weight.shape == (2, 3)


def test_a_constant_that_leaves_the_batch_open_serves_all_sizes():
    traces = []

    def plus_nothing(F, x, weight):
        traces.append(F)
        return F.elemwise_add(x, F.zeros((0, 3))) + 0 * F.sum(weight)

    block = Calls(plus_nothing)
    block.weight.shape = (2, 1)
    block.initialize()
    block.hybridize()
    for rows in (2, 5, 4):
        assert block(nd.ones((rows, 3))).asnumpy().tolist() == [[1.0] * 3] * rows
    assert traces == [sym]
