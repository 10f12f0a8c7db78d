import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.base.errors import OpforgeError
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import register_custom
from opforge.symbol.compiler.gradient import BackwardOperation, differentiate
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import Node, topological


def gradient_graph(symbol, wanted, **shapes):
    """Return gradients of a symbol's outputs, and the heads from which they start."""
    graph = lower(symbol, shapes, {})
    heads = [(Node(f"head{k}", types=[n.types[i]]), 0) for k, (n, i) in enumerate(graph.outputs)]
    variables = [graph.variables[name] for name in wanted]
    return differentiate(graph.outputs, heads, variables), heads, graph


def names_below(edge):
    return [n.operation.name for n in topological([edge]) if n.operation]


def gradients(symbol, heads=None, **arrays):
    arrays = {name: nd.array(value) for name, value in arrays.items()}
    grads = {name: nd.full(value.shape, 7) for name, value in arrays.items()}
    executor = symbol.bind(mx.cpu(), arrays, grads)
    executor.forward(is_train=True)
    executor.backward(heads)
    return {name: grad.asnumpy().tolist() for name, grad in grads.items()}


def test_the_gradient_of_a_variable_is_the_head():
    (grad,), (head,), _ = gradient_graph(sym.var("x"), ["x"], x=(2,))
    assert grad == head


def test_no_gradient_where_nothing_depends_on_the_variable():
    x, y = sym.var("x"), sym.var("y")
    grads, _, _ = gradient_graph(sym.Group([x * 2, y]), ["x"], x=(2,), y=(2,))
    assert grads[0] is not None
    grads, _, _ = gradient_graph(sym.argmax(x, axis=0), ["x"], x=(2,))
    assert grads == [None]


def test_only_paths_to_requested_variables_are_differentiated():
    x, y = sym.var("x"), sym.var("y")
    (grad,), _, _ = gradient_graph(sym.tanh(x) * sym.exp(y), ["x"], x=(2,), y=(2,))
    assert not [n for n in names_below(grad) if n == "_backward_exp"]
    (grad,), _, _ = gradient_graph(sym.dot(x, y), ["x"], x=(2, 3), y=(3, 4))
    assert names_below(grad) == ["dot"]


def test_paths_are_summed():
    x = sym.var("x")
    assert gradients(x * x + x * 3 + x, nd.ones(2), x=[1.0, 2.0]) == {"x": [6, 8]}


def test_the_same_output_twice_gets_both_heads():
    x = sym.var("x")
    y = x * 2
    heads = [nd.array([1.0]), nd.array([10.0])]
    assert gradients(sym.Group([y, y]), heads, x=[1.0]) == {"x": [22]}


def test_several_outputs_of_one_node():
    parts = sym.SliceChannel(sym.var("x"), num_outputs=2, axis=0)
    heads = [nd.array([[5.0]])]
    assert gradients(parts[1] * 2, heads, x=[[1.0], [2.0]]) == {"x": [[0], [10]]}


def test_gradients_of_broadcast_inputs_are_summed():
    y = sym.broadcast_mul(sym.var("x"), sym.var("row"))
    found = gradients(y, nd.ones((2, 2)), x=[[1.0, 2], [3, 4]], row=[[1.0, 10]])
    assert found == {"x": [[1, 10], [1, 10]], "row": [[4, 6]]}


def test_losses_need_no_head():
    found = gradients(sym.make_loss(sym.var("x") * 3), None, x=[1.0])
    assert found == {"x": [3]}


def test_outputs_next_to_a_loss_need_no_head_gradient():
    x = sym.var("x")
    shown = sym.Group([sym.make_loss(x * 3), sym.BlockGrad(x)])
    assert gradients(shown, None, x=[1.0]) == {"x": [3]}


def test_gradients_stop_at_block_grad():
    x = sym.var("x")
    assert gradients(sym.BlockGrad(x) * x, nd.ones(1), x=[3.0]) == {"x": [3]}


class Cube(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] ** 3)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 3 * in_data[0] ** 2)


@mx.operator.register("gradient_cube")
class CubeProp(mx.operator.CustomOpProp):
    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [*out_grad, *in_data]

    def create_operator(self, ctx, shapes, dtypes):
        return Cube()


def test_custom_backward_is_one_node_with_declared_inputs():
    cube = sym.Custom(sym.var("x"), op_type="gradient_cube", name="cube")
    (grad,), (head,), graph = gradient_graph(cube, ["x"], x=(2,))
    operation = grad[0].operation
    assert isinstance(operation, BackwardOperation)
    assert operation.name == "backward of cube"
    assert operation.output_names() == ["grad0"]
    assert grad[0].inputs == (head, (graph.variables["x"], 0))
    assert gradients(cube, nd.ones(2), x=[1.0, 2.0]) == {"x": [3, 12]}


class TooFew(OperatorProp):
    """Add two arrays; the gradient omits one."""

    name = "gradient_too_few"
    arguments = ("a", "b")

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def compute(self, in_data, out_data, req, is_train):
        out_data[0][:] = in_data[0]

    def gradient(self, F, out_grad, in_data, out_data):
        return [out_grad[0]] if self.answer == "one" else [3, None]

    answer = "one"


class NoSymbol(TooFew):
    """Add two arrays; the gradient is a number."""

    name = "gradient_no_symbol"
    answer = "number"


register_custom(TooFew.name, TooFew)
register_custom(NoSymbol.name, NoSymbol)


@pytest.mark.parametrize(
    ("op_type", "message"),
    [
        (TooFew.name, "returned 1 gradients for 2 inputs"),
        (NoSymbol.name, "gradient of node 'bad' is 3, expected a symbol"),
    ],
)
def test_wrong_answers_of_a_gradient_name_the_operator(op_type, message):
    y = sym.Custom(sym.var("x"), sym.var("y"), op_type=op_type, name="bad")
    with pytest.raises(OpforgeError, match=message):
        gradient_graph(y, ["x", "y"], x=(2,), y=(2,))


def test_unwanted_inputs_say_so_to_the_gradient():
    """gammaln has no second derivative; it is not computed if it is not needed."""
    y = sym._backward_gammaln(sym.var("dy"), sym.var("x"))
    grads, _, _ = gradient_graph(y, ["dy"], dy=(2,), x=(2,))
    assert grads[0] is not None
    with pytest.raises(OpforgeError, match="second derivative"):
        gradient_graph(y, ["x"], dy=(2,), x=(2,))


def test_a_deep_graph_is_differentiated_without_recursion():
    y = sym.var("x")
    for _ in range(2000):
        y = y * 1.0
    assert gradients(y, nd.ones(1), x=[1.0]) == {"x": [1]}
    assert np.isfinite(y.eval(x=nd.ones(1))[0].asscalar())
