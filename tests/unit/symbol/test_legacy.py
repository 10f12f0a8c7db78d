"""`PythonOp`, `NumpyOp`, `NDArrayOp`: deprecated, called with symbols, custom ops below."""

import warnings

import numpy as np
import pytest

import opforge as mx
from opforge import sym
from opforge.operator import NDArrayOp, NumpyOp, PythonOp


def quiet(make, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*args)


class Tile(NumpyOp):
    def __init__(self, tiles):
        super().__init__(False)
        self.tiles = tiles

    def list_arguments(self):
        return ["input"]

    def infer_shape(self, in_shape):
        return [in_shape[0]], [in_shape[0] + [self.tiles]]

    def forward(self, in_data, out_data):
        out_data[0][:] = in_data[0][..., None]


@pytest.mark.parametrize("kind", [PythonOp, NumpyOp, NDArrayOp])
def test_construction_warns_as_in_mxnet(kind):
    message = f"{kind.__name__} has been deprecated. Please use CustomOp"
    with pytest.warns(UserWarning, match=message):
        assert kind(False).need_top_grad() is False


def test_a_call_gives_a_symbol():
    node = quiet(Tile, 10)(input=sym.var("data"), name="tileop")
    assert node.name == "tileop"
    assert node.list_arguments() == ["data"]
    assert node.list_outputs() == ["tileop_output"]


def test_missing_inputs_become_variables():
    class Loss(NDArrayOp):
        def list_arguments(self):
            return ["data", "label"]

    node = quiet(Loss)(data=sym.var("x"), name="softmax")
    assert node.list_arguments() == ["x", "softmax_label"]


def test_inputs_may_be_positional_and_names_automatic():
    operator = quiet(NumpyOp)
    with mx.name.NameManager():
        first, second = operator(sym.var("x")), operator(sym.var("x"))
    assert first.list_arguments() == ["x"]
    assert first.name != second.name


def test_an_instance_is_registered_once():
    operator = quiet(Tile, 3)
    operator(sym.var("x"))
    known = operator._op_type
    operator(sym.var("x"))
    assert operator._op_type == known


def test_the_imperative_call_below():
    operator = quiet(Tile, 3)
    operator(sym.var("x"))
    y = mx.nd.Custom(mx.nd.array([1, 2]), op_type=operator._op_type)
    assert y.asnumpy().tolist() == [[1, 1, 1], [2, 2, 2]]


def test_defaults_copy_forward_and_give_ones_back():
    for kind in (NumpyOp, NDArrayOp):
        operator = quiet(kind)
        operator(sym.var("x"))
        x = mx.nd.array([1.0, 2.0])
        x.attach_grad()
        with mx.autograd.record():
            y = mx.nd.Custom(x, op_type=operator._op_type)
        y.backward(mx.nd.array([3.0, 3.0]))
        np.testing.assert_array_equal(y.asnumpy(), [1, 2])
        np.testing.assert_array_equal(x.grad.asnumpy(), [1, 1])


def test_the_base_alone_cannot_be_called():
    with pytest.raises(NotImplementedError, match="derive from NumpyOp or NDArrayOp"):
        quiet(PythonOp)(data=sym.var("x"))


def test_attributes_are_refused():
    with pytest.raises(mx.MXNetError, match="unexpected keyword argument 'k'"):
        quiet(NDArrayOp)(data=sym.var("x"), k=3)
