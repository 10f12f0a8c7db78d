import numpy as np
import pytest

import opforge
from opforge import nd, sym
from opforge.base.errors import AttributeValueError, OperatorNotFoundError
from opforge.symbol.custom import custom_operation


class Weighted(opforge.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[1] + aux[0])


@opforge.operator.register("weighted_for_symbols")
class WeightedProp(opforge.operator.CustomOpProp):
    def __init__(self, factor="1"):
        super().__init__(need_top_grad=False)
        self.factor = float(factor)

    def list_arguments(self):
        return ["data", "weight"]

    def list_auxiliary_states(self):
        return ["shift"]

    def infer_shape(self, in_shape):
        return [in_shape[0], in_shape[0]], [in_shape[0]], [in_shape[0]]

    def create_operator(self, ctx, shapes, dtypes):
        return Weighted()


#: Requests for the outputs in each call of `Halves`.
requests = []


class Halves(opforge.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        requests.append(list(req))
        for out, asked, factor in zip(out_data, req, (0.5, 2), strict=True):
            self.assign(out, asked, in_data[0] * factor)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 0.5 + out_grad[1] * 2)


class Doubles(opforge.operator.CustomOpProp):
    def list_outputs(self):
        return ["half", "double"]

    def infer_shape(self, in_shape):
        return in_shape, in_shape * 2, []

    def create_operator(self, ctx, shapes, dtypes):
        return Halves()


opforge.operator.register("halves_for_symbols")(Doubles)


def test_missing_inputs_are_variables():
    net = sym.Custom(sym.var("x"), op_type="weighted_for_symbols", factor=2, name="w")
    assert net.list_arguments() == ["x", "w_weight"]
    assert net.list_auxiliary_states() == ["w_shift"]
    assert net.list_attr() == {"op_type": "weighted_for_symbols", "factor": "2"}
    assert net.infer_shape(x=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [(2, 3)])


def test_inputs_by_name():
    net = sym.Custom(weight=sym.var("a"), data=sym.var("b"), op_type="weighted_for_symbols")
    assert net.list_arguments() == ["b", "a"]
    assert net.name.startswith("custom")


def test_it_computes():
    net = sym.Custom(*map(sym.var, "xws"), op_type="weighted_for_symbols")
    args = {"x": nd.array([1, 2]), "w": nd.array([3, 4])}
    executor = net.bind(opforge.cpu(), args, aux_states={"s": nd.array([10, 10])})
    np.testing.assert_array_equal(executor.forward()[0].asnumpy(), [13, 18])


@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize("grad_req", ["null", "write"])
def test_unread_outputs_are_requested_only_for_gradients(grad_req, is_train):
    half, double = sym.Custom(sym.var("x"), op_type="halves_for_symbols")
    unread = "null" if grad_req == "null" else "write"
    for net, asked, value in (
        (half, ["write", unread], 1),
        (double + 1, [unread, "write"], 5),
        (sym.Group([half + 1, double]), ["write", "write"], 2),
        (sym.Group([half, sym.BlockGrad(double)]), ["write", "write"], 1),
    ):
        requests.clear()
        executor = net.simple_bind(opforge.cpu(), grad_req=grad_req, x=(1,))
        executor.arg_dict["x"][:] = 2
        assert executor.forward(is_train=is_train)[0].asscalar() == value
        assert requests == [asked]


def test_missing_or_unknown_op_type_raises():
    x = sym.var("x")
    with pytest.raises(AttributeValueError, match="Required argument `op_type` is missing"):
        sym.Custom(x)
    with pytest.raises(OperatorNotFoundError, match="Cannot find custom operator nobody"):
        sym.Custom(x, op_type="nobody")
    with pytest.raises(TypeError, match="takes the inputs data, weight, shift; other do not fit"):
        sym.Custom(x, other=x, op_type="weighted_for_symbols")
    with pytest.raises(TypeError, match="4 positional inputs do not fit"):
        sym.Custom(x, x, x, x, op_type="weighted_for_symbols")
    with pytest.raises(TypeError, match="must be a Symbol of one output"):
        sym.Custom(3, op_type="weighted_for_symbols")


def test_attributes_are_kept_as_texts():
    operation = custom_operation("weighted_for_symbols", {"factor": np.float32(2)})
    assert operation.name == "Custom"
    assert operation.attributes == {"op_type": "weighted_for_symbols", "factor": "2.0"}
    assert operation.prop.factor == 2
