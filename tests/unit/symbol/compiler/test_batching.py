"""Calls of one weight on rows that are available together, and those that must wait."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.symbol.compiler.batching import batch_rows
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import topological

SHAPES = {"x": (3, 30), "y": (3, 30), "z": (5, 30), "w": (40, 30), "b": (40,), "u": (30, 40)}
SHAPES["v"] = (3, 40)
X, Y, Z, W, B, U, V = map(sym.var, SHAPES)


def dense(x, weight=W, units=40, **attributes):
    return sym.FullyConnected(x, weight, B, num_hidden=units, **attributes)


def square(x):
    return sym.FullyConnected(x, U, num_hidden=30, no_bias=True)


def rows(symbol):
    """Return the number of rows of each call of a dense layer after joining."""
    shapes = {name: SHAPES[name] for name in symbol.list_inputs() if name in SHAPES}
    graph = batch_rows(lower(symbol, shapes, {}))
    order = topological(graph.outputs)
    calls = [n for n in order if n.operation and n.operation.name == "FullyConnected"]
    return sorted(node.types[0].shape[0] for node in calls)


def gradients(symbol):
    """Return outputs and gradients of a compiled graph, in small integers."""
    rng = np.random.default_rng(0)
    given = {n: nd.array(rng.integers(-2, 3, SHAPES[n])) for n in symbol.list_inputs()}
    grads = {n: nd.zeros_like(array) for n, array in given.items()}
    executor = symbol.bind(mx.cpu(), given, grads)
    outputs = executor.forward(is_train=True)
    executor.backward([nd.ones_like(output) for output in outputs])
    return {n: a.asnumpy() for n, a in given.items()}, outputs[0].asnumpy(), grads


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (dense(X) * dense(Y), [6]),
        (sym.Group([dense(X) + dense(Y * 2), dense(Y)]), [9]),
        (sym.Group([dense(X), dense(Z)]), [3, 5]),  # other numbers of rows
        (dense(X) * sym.FullyConnected(Y, W, num_hidden=40, no_bias=True), [3, 3]),
        (dense(square(dense(X))), [3, 3, 3]),  # one after the other
        (dense(X) * dense(Y) * dense(square(dense(X)) + Y), [3, 3, 6]),
    ],
)
def test_rows_that_are_there_at_once_are_joined(symbol, expected):
    assert rows(symbol) == expected


def test_calls_that_wait_for_each_other_crosswise():
    """Each of two layers is called on a result of the other: joining both would be a cycle."""
    up, down = dense(X), sym.FullyConnected(sym.tanh(dense(Y)), U, num_hidden=30, no_bias=True)
    there = dense(sym.FullyConnected(V, U, num_hidden=30, no_bias=True))
    found = rows(sym.Group([up, down, there]))
    assert sum(found) == 15
    assert 6 in found or 9 in found


@pytest.mark.plugins
def test_rows_that_are_drawn_keep_their_order():
    assert rows(sym.Group([dense(sym.Dropout(X)), dense(sym.Dropout(Y))])) == [3, 3]
    drawn = [sym.Dropout(X), sym.Dropout(Y)]  # before both calls
    assert rows(sym.Group([dense(x) for x in drawn])) == [6]


def test_results_and_gradients():
    arrays, found, grads = gradients(dense(X) * 2 + dense(Y) * 3 + dense(X))
    w, b = arrays["w"], arrays["b"]
    x, y = (arrays[name] @ w.T + b for name in "xy")
    np.testing.assert_array_equal(found, 3 * x + 3 * y)
    ones = np.ones((3, 40))
    np.testing.assert_array_equal(grads["w"].asnumpy(), 3 * ones.T @ (arrays["x"] + arrays["y"]))
    np.testing.assert_array_equal(grads["b"].asnumpy(), np.full(40, 18))
    for name in "xy":
        np.testing.assert_array_equal(grads[name].asnumpy(), 3 * ones @ w)


def test_long_sequences_are_computed_in_parts():
    """Values computed ahead use the memory of some steps, however many there are."""

    def arena(n):
        shapes = {f"x{at}": (16, 30) for at in range(n)} | {"w": (400, 30), "b": (400,)}
        steps = [dense(sym.var(f"x{at}"), units=400) for at in range(n)]
        state = steps[0]
        for step in steps[1:]:
            state = sym.tanh(state) + sym.sin(step)
        graph = lower(state, shapes, {})
        made = compile_graph(graph, {})
        assert sum(made.types[c.outputs[0]].shape == (512, 400) for c in made.calls) == n // 32
        return made.layout.nbytes

    assert arena(320) < 1.5 * arena(96)


def test_many_rows_stay_apart():
    shapes = {"p": (200, 30), "q": (200, 30), "w": (40, 30)}
    p, q = sym.var("p"), sym.var("q")
    net = sum(sym.FullyConnected(x, W, num_hidden=40, no_bias=True) for x in (p, q))
    graph = batch_rows(lower(net, shapes, {}))
    order = topological(graph.outputs)
    assert not any(n.operation and n.operation.name == "Concat" for n in order)
