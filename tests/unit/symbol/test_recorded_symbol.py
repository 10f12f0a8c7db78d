"""`autograd.get_symbol`: the recorded calls as a graph."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base.errors import OpforgeError


def recorded(function, *arrays):
    """Return the result of `function` for variables with these values, and its symbol."""
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        y = function(*arrays)
    return y, autograd.get_symbol(y)


def uniform(*shape):
    return nd.random.uniform(0.5, 2.0, shape=shape)


class Halve(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] / 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] / 2)


@mx.operator.register("recorded_halve")
class HalveProp(mx.operator.CustomOpProp):
    def __init__(self, times="1"):
        super().__init__(need_top_grad=True)
        self.times = int(times)

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Halve()


CALLS = {
    "numbers": lambda x: 1 - 2 * x / 3,
    "powers": lambda x: x**2 + 2**x,
    "equal shapes": lambda x: x * x + x,
    "broadcasting": lambda x: x * x.sum(axis=0, keepdims=True),
    "attributes": lambda x: nd.sum(x, axis=1, keepdims=True).clip(0.5, 3.5),
    "one of several outputs": lambda x: nd.split(x, 3, axis=1)[1],
    "element": lambda x: x[1] * 2,
    "slices": lambda x: x[0:2, 1] + x[::-1][0, 1],
    "rows": lambda x: x[nd.array([1, 0, 1])],
    "reshape": lambda x: x.reshape((-1,)).reshape((3, 4)),
    "transpose": lambda x: nd.dot(x, x.T),
    "softmax": lambda x: nd.softmax(x, axis=0),
    "layer norm": lambda x: nd.LayerNorm(x, x[0], x[1]),
    "custom": lambda x: nd.Custom(x, op_type="recorded_halve", times=3),
    "declared, by Custom": lambda x: nd.Custom(x, op_type="softmax", axis=0),
    "another device": lambda x: x.as_in_context(mx.cpu(1)) + 0,
    "list": lambda x: nd.concat(x, x * 2, dim=0),
}


#: Those of plugins' operators.
OF_PLUGINS = {"softmax", "layer norm", "declared, by Custom"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.plugins if name in OF_PLUGINS else ()) for name in CALLS],
)
def test_the_graph_computes_the_recorded_results(name):
    x = uniform(4, 3)
    y, symbol = recorded(CALLS[name], x)
    # All variables of these calls have the value of x, or are indices.
    values = {key: x for key in symbol.list_arguments()}
    if name == "rows":
        values["var1"] = nd.array([1, 0, 1], dtype="int64")
    (found,) = symbol.eval(mx.cpu(), **values)
    np.testing.assert_allclose(found.asnumpy(), y.asnumpy(), rtol=1e-6)


def test_a_variable_is_one_argument_however_often_it_was_used():
    _, symbol = recorded(lambda x: x * x + 2 * x - 1, uniform(1))
    assert symbol.list_arguments() == ["var0"]


def test_each_variable_is_an_argument_in_the_order_of_the_graph():
    x, z = uniform(1), nd.array([1.0, 2.0])
    y, symbol = recorded(lambda x, z: nd.concat(x, z, x + 1, dim=0), x, z)
    assert symbol.list_arguments() == ["var0", "var1"]
    (found,) = symbol.eval(mx.cpu(), var0=x, var1=z)
    assert found.asnumpy().tolist() == y.asnumpy().tolist()


def test_names_of_nodes_are_mxnets_and_the_same_in_each_call():
    y, symbol = recorded(lambda x: nd.exp(x * 2 + x), uniform(1))
    names = ["var0", "node_0_output", "node_1_output", "node_2_output"]
    assert symbol.get_internals().list_outputs() == names
    assert autograd.get_symbol(y).tojson() == symbol.tojson()


def test_a_variable_itself_is_a_variable():
    x = uniform(2)
    x.attach_grad()
    assert autograd.get_symbol(x).list_arguments() == ["var0"]


def test_unmarked_arrays_become_arguments():
    constant = uniform(3)
    _, symbol = recorded(lambda x: x * constant, uniform(3))
    assert len(symbol.list_arguments()) == 2


def test_attributes_are_those_that_were_given():
    _, symbol = recorded(lambda x: nd.sum(x, axis=1), uniform(2, 3))
    assert symbol.attr("axis") == "(1,)"
    assert symbol.attr("keepdims") is None


def test_a_deep_graph():
    def many(x):
        for _ in range(20_000):
            x = x + 1
        return x

    _, symbol = recorded(many, uniform(1))
    assert len(symbol.get_internals().list_outputs()) == 20_001


def test_a_graph_in_which_paths_meet_again_and_again():
    def doubled(x):
        for _ in range(200):
            x = x + x
        return x

    _, symbol = recorded(doubled, uniform(1))
    assert len(symbol.get_internals().list_outputs()) == 201


def test_an_array_that_was_not_recorded():
    with pytest.raises(OpforgeError, match="not in a computational graph"):
        autograd.get_symbol(uniform(2))


def test_a_graph_that_was_freed():
    x = uniform(2)
    y, _ = recorded(nd.exp, x)
    y.backward()
    with pytest.raises(OpforgeError, match="before backward"):
        autograd.get_symbol(y)


def test_something_else_than_an_array():
    with pytest.raises(TypeError, match="Array"):
        autograd.get_symbol(3)


class Doubled(autograd.Function):
    def forward(self, x):
        return x * 2

    def backward(self, grad):
        return grad * 2


class Plus(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x + 1


def test_calls_that_no_graph_has():
    with pytest.raises(OpforgeError, match="is not an operator"):
        recorded(Doubled(), uniform(2))


class Both(gluon.HybridBlock):
    """Return the sum and the product with a parameter, twice, and the input."""

    def __init__(self):
        super().__init__()
        self.factor = self.params.get("factor", shape=(1,))

    def hybrid_forward(self, F, x, factor):
        product = F.broadcast_mul(x, factor)
        return x + product, product, product, x


def test_hybridized_blocks_are_inlined():
    block = Plus()
    block.hybridize()
    x = uniform(2)
    y, symbol = recorded(lambda x: block(block(x * 2)) * 3, x)
    names = [f"node_{i}_output" for i in range(4)]
    assert symbol.get_internals().list_outputs() == ["var0", *names]
    (found,) = symbol.eval(var0=x)
    np.testing.assert_array_equal(found.asnumpy(), y.asnumpy())
    block.hybridize(False)
    _, imperative = recorded(lambda x: block(block(x * 2)) * 3, x)
    assert imperative.tojson() == symbol.tojson()


def test_outputs_and_parameters_of_hybridized_blocks():
    block = Both()
    block.initialize(mx.init.Constant(3))
    block.hybridize()
    x = uniform(2)
    for at, expected in enumerate((4, 3, 3, 1)):
        _, symbol = recorded(lambda x, at=at: block(x)[at] * 1, x)
        values = {"var0": x, "var1": block.factor.data()}
        given = {name: values[name] for name in symbol.list_arguments()}
        (found,) = symbol.eval(**given)
        np.testing.assert_allclose(found.asnumpy(), expected * x.asnumpy(), rtol=1e-6)


def test_the_graph_of_a_hybridized_block_is_not_changed():
    block = Plus(prefix="plus_")
    block.hybridize()
    x = uniform(2)
    first = recorded(block, x)[1].tojson()
    assert recorded(block, x)[1].tojson() == first
    y = block(x)
    np.testing.assert_array_equal(y.asnumpy(), x.asnumpy() + 1)


@pytest.mark.plugins
def test_auxiliary_states_of_hybridized_blocks():
    block = gluon.nn.HybridSequential()
    block.add(gluon.nn.Dense(3), gluon.nn.BatchNorm(), gluon.nn.Dense(2))
    block.initialize()
    block(uniform(4, 5))
    graphs = []
    for hybridizes in (False, True):
        block.hybridize(hybridizes)
        graphs.append(recorded(lambda x: block(x), uniform(4, 5))[1])
    counts = [(len(g.list_arguments()), len(g.list_auxiliary_states())) for g in graphs]
    assert counts == [(7, 2), (7, 2)]
    kinds = [[node.operation and node.operation.name for node in g.nodes()] for g in graphs]
    assert sorted(map(str, kinds[0])) == sorted(map(str, kinds[1]))
