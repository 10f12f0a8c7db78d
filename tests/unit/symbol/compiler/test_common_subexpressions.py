import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.symbol.compiler.common_subexpressions import merge_equal_calls
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import topological


def merged(symbol, **shapes):
    """Numbers of operators before, and of operators that are removed."""
    graph = lower(symbol, shapes, {})
    before = [n for n in topological(graph.outputs) if n.operation]
    replaced = merge_equal_calls(graph.outputs)
    for node in before:
        assert all(id(source) not in replaced for source, _ in node.inputs)
    return len(before), len(replaced)


def test_equal_calls_are_one():
    x = sym.var("x")
    assert merged(sym.tanh(x) + sym.tanh(x), x=(2,)) == (3, 1)


def test_users_of_equal_calls_are_merged():
    x = sym.var("x")
    assert merged(sym.exp(sym.tanh(x) * 2) - sym.exp(sym.tanh(x) * 2), x=(2,)) == (7, 3)


@pytest.mark.parametrize(
    "pair",
    [
        lambda x, y: sym.tanh(x) + sym.tanh(y),
        lambda x, y: x * 2 + y * x * 3,
        lambda x, y: sym.sum(x, axis=0) + sym.sum(x, axis=1) * sym.sum(y, axis=1),
        lambda x, y: (x - y) + (y - x),
        lambda x, y: x * 2 + 2 / x - y,
    ],
)
def test_different_calls_stay(pair):
    assert merged(pair(sym.var("x"), sym.var("y")), x=(2, 2), y=(2, 2))[1] == 0


class Counting(mx.operator.CustomOp):
    calls = 0

    def forward(self, is_train, req, in_data, out_data, aux):
        Counting.calls += 1
        self.assign(out_data[0], req[0], in_data[0] * Counting.calls)


@mx.operator.register("simplify_counting")
class CountingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Counting()


def test_operators_of_authors_are_called_as_often_as_the_program_says():
    x = sym.var("x")
    pair = [sym.Custom(x, op_type="simplify_counting") for _ in range(2)]
    Counting.calls = 0
    assert merged(pair[0] + pair[1], x=(2,))[1] == 0
    assert (pair[0] + pair[1]).eval(x=nd.ones(1))[0].asscalar() == 3


def test_values_and_gradients_stay_the_same():
    x = sym.var("x")
    y = sym.tanh(x) * sym.tanh(x) + sym.tanh(x)
    a, g = nd.array([0.3, -0.5]), nd.zeros(2)
    executor = y.bind(mx.cpu(), {"x": a}, {"x": g})
    t = np.tanh(a.asnumpy())
    np.testing.assert_allclose(executor.forward(is_train=True)[0].asnumpy(), t * t + t, rtol=1e-6)
    executor.backward(nd.ones(2))
    np.testing.assert_allclose(g.asnumpy(), (2 * t + 1) * (1 - t * t), rtol=1e-5)
