"""Graphs that run call by call, and operators whose shapes depend on values."""

import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.errors import OpforgeError, UnknownShapeError
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.interpreter import has_shapes_from_values, interpret

X = sym.var("x")
VALUES = np.array([[1.0, -2.0], [-3.0, 4.0]])


class Positive(OperatorProp):
    """Return the elements above 0."""

    name = "positive"
    shapes_from_values = True

    def infer_shape(self, in_shape):
        return in_shape, [(0,)], []

    def compose(self, F, data):
        flat = F.reshape(data, shape=(-1,))
        return F.take(flat, F.array(np.flatnonzero(data.asnumpy() > 0), dtype="int64"))


@pytest.fixture(autouse=True)
def operator():
    with registry.temporary():
        registry.register_custom("positive", Positive)
        yield


def positive(F, data):
    return F.Custom(data, op_type="positive")


def test_graphs_are_told_apart():
    inside, _ = sym.contrib.foreach(lambda x, s: (positive(sym, x), s), X, [sym.var("s")])
    assert has_shapes_from_values(positive(sym, X) * 2)
    assert has_shapes_from_values(inside)
    assert not has_shapes_from_values(X * 2)


def test_every_kind_of_call():
    parts = sym.SliceChannel(X * 2 + 1, num_outputs=2, axis=1)
    graph = sym.Group([positive(sym, parts[1]), sym.dot(X, X), X, sym.zeros((2, 1)) - 1])
    results = interpret(graph, {"x": nd.array(VALUES)})
    want = [[9], (VALUES @ VALUES).tolist(), VALUES.tolist(), [[-1], [-1]]]
    assert [array.asnumpy().tolist() for array in results] == want


def test_calls_are_recorded():
    x = nd.array(VALUES)
    x.attach_grad()
    with autograd.record():
        (y,) = interpret(positive(sym, X) * 3, {"x": x})
    y.backward()
    assert x.grad.asnumpy().tolist() == [[3, 0], [0, 3]]


def test_loaded_graphs_run():
    graph = sym.load_json((positive(sym, X) * 2).tojson())
    assert graph.eval(x=nd.array(VALUES))[0].asnumpy().tolist() == [2, 8]


def test_shapes_are_unknown_before():
    graph = positive(sym, X) * 2
    with pytest.warns(UserWarning, match="Cannot decide shape"):
        assert graph.infer_shape(x=(2, 2)) == (None, None, None)
    assert graph.infer_shape_partial(x=(2, 2)) == ([(2, 2)], [(0,)], [])


def test_such_graphs_are_not_compiled():
    with pytest.raises(UnknownShapeError, match=r"'custom\d+'.* depend on values"):
        lower(positive(sym, X), {"x": (2, 2)}, {})


def test_loops_with_value_dependent_shapes_are_rejected():
    rows, _ = sym.contrib.foreach(lambda x, s: (x * 2, s), positive(sym, X), [sym.var("s")])
    with pytest.raises(OpforgeError, match="is a loop or a branch"):
        interpret(rows, {"x": nd.array(VALUES), "s": nd.zeros(1)})
