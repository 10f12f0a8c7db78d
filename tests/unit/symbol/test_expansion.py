"""The composition of an operator as a separate graph."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.base.errors import ShapeError
from opforge.op.declaring.attribute import Attribute
from opforge.plugin_api import OperatorProp, expanded


@pytest.fixture(autouse=True, scope="module")
def halves():
    @mx.operator.register("fx_halves")
    class Halves(OperatorProp):
        """Both halves of an array of even length, minus a number."""

        name = "fx_halves"
        outputs = ("first", "second")
        less = Attribute(float, default=1.0, doc="The number.")

        def compose(self, F, data):
            if data.shape[0] % 2:
                raise ShapeError(
                    f"operator 'fx_halves': data has shape {data.shape}; expected even"
                )
            middle = data.shape[0] // 2
            return [
                F.slice_axis(data, axis=0, begin=0, end=middle) - self.less,
                F.slice_axis(data, axis=0, begin=middle, end=None) - self.less,
            ]

        def infer_shape(self, in_shape):
            (shape,) = in_shape
            part = (shape[0] // 2, *shape[1:])
            return in_shape, [part, part], []


def operation_of(symbol):
    (node,) = [node for node in symbol.nodes() if not node.is_variable]
    return node.operation


def test_the_graph_computes_what_the_operator_computes():
    operation = operation_of(sym.fx_halves(sym.var("x"), less=2))
    graph = expanded(operation, [(4, 3)], ["float32"])
    assert graph.list_arguments() == ["input0"]
    assert {node.operation.name for node in graph.nodes() if not node.is_variable} == {
        "slice_axis",
        "_minus_scalar",
    }
    x = nd.array(np.arange(12.0).reshape((4, 3)))
    found = graph.bind(mx.cpu(), {"input0": x}).forward()
    for one, other in zip(found, nd.fx_halves(x, less=2), strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_its_errors_name_the_operator():
    operation = operation_of(sym.fx_halves(sym.var("x")))
    with pytest.raises(ShapeError, match=r"fx_halves.*compose.*\(3,\)"):
        expanded(operation, [(3,)], ["float32"])
