"""Inputs and outputs of operator calls, and deferred parameters."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.native.array import DeferredArray
from opforge.native.dispatch.invoking import invoke
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


class Parts(CustomOp):
    """Writes the sum, the difference and a working array."""

    def forward(self, is_train, req, in_data, out_data, aux):
        a, b = in_data
        self.assign(out_data[0], req[0], a + b)
        self.assign(out_data[1], req[1], a - b)
        self.assign(out_data[2], req[2], a)


class SumAndDifference(OperatorProp):
    """Two visible outputs and one that only the operator sees."""

    name = "sum_and_difference"
    arguments = ("left", "right")
    outputs = ("sum", "difference", "work")
    num_visible_outputs = 2

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]] * 3, []

    def create_operator(self, ctx, shapes, dtypes):
        return Parts()


def call(prop_class, *inputs, out=None):
    values = tuple(a.default for a in prop_class.attributes.values())
    handle = make_handle(Entry(prop_class.name, prop_class, "some-plugin", "1.0", "plugin"))
    return invoke(handle, inputs, values, out)


def pair():
    return nd.array([1.0, 2.0]), nd.array([10.0, 20.0])


def test_visible_outputs():
    a, b = pair()
    results = call(SumAndDifference, a, b)
    assert [r.asnumpy().tolist() for r in results] == [[11, 22], [-9, -18]]


def test_single_visible_output_is_not_a_list():
    class OnlySum(SumAndDifference):
        """Shows the sum alone."""

        name = "only_sum"
        num_visible_outputs = 1

    assert call(OnlySum, *pair()).asnumpy().tolist() == [11, 22]


@pytest.mark.parametrize("count", [2, 3])
def test_out_may_name_the_visible_or_all_outputs(count):
    out = [nd.zeros((2,)) for _ in range(count)]
    results = call(SumAndDifference, *pair(), out=out)
    assert [a is b for a, b in zip(results, out, strict=False)] == [True, True]
    assert out[0].asnumpy().tolist() == [11, 22]
    assert out[-1].asnumpy().tolist() == ([-9, -18] if count == 2 else [1, 2])


@pytest.mark.parametrize("count", [0, 1, 4])
def test_out_of_another_length_is_rejected(count):
    with pytest.raises(ValueError, match=f"has 2 outputs, out has {count}"):
        call(SumAndDifference, *pair(), out=[nd.zeros((2,)) for _ in range(count)])


def test_out_is_checked_item_by_item():
    a, b = pair()
    with pytest.raises(ShapeError, match=r"'sum_and_difference': out has shape \(3,\)"):
        call(SumAndDifference, a, b, out=[nd.zeros((2,)), nd.zeros((3,))])
    with pytest.raises(ShapeError, match="int32"):
        call(SumAndDifference, a, b, out=(nd.zeros((2,)), nd.zeros((2,), dtype="int32")))
    with pytest.raises(TypeError, match="out must be an NDArray, got ndarray"):
        call(SumAndDifference, a, b, out=[nd.zeros((2,)), np.zeros(2)])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_wrong_numbers_of_inputs_name_the_expected_ones(count):
    with pytest.raises(
        OpforgeError, match=rf"sum_and_difference.*expects 2 inputs, but got {count}.*'right'"
    ):
        call(SumAndDifference, *[nd.ones((2,))] * count)


def test_gap_among_the_inputs_is_a_missing_input_and_trailing_ones_are_dropped():
    a, b = pair()
    with pytest.raises(OpforgeError, match="expects 2 inputs, but got 0"):
        call(SumAndDifference, None, b)
    assert call(SumAndDifference, a, b, None)[0].asnumpy().tolist() == [11, 22]


class PerhapsRight(SumAndDifference):
    """Leaves out the input in the middle on request."""

    arguments = ("left", "middle", "right")
    use_middle = Attribute(bool, default=False)

    def list_arguments(self):
        return [*self.arguments] if self.use_middle else ["left", "right"]


def test_none_in_the_middle_marks_an_unused_input():
    a, b = pair()
    assert call(PerhapsRight, a, None, b)[0].asnumpy().tolist() == [11, 22]
    with pytest.raises(OpforgeError, match=r"expects 2 inputs, but got 0.*'left', 'right' missing"):
        call(PerhapsRight, None, None, b)


def test_inputs_that_are_not_arrays_are_named():
    with pytest.raises(TypeError, match=r"sum_and_difference.*input 'right'.*got ndarray"):
        call(SumAndDifference, nd.ones((2,)), np.ones(2))


class Dense(OperatorProp):
    """A product that knows the shape of its weight from the data."""

    name = "dense_like"
    arguments = ("data", "weight")
    units = Attribute(int, default=4)

    def infer_shape(self, in_shape):
        data = in_shape[0]
        return [data, [self.units, data[1]]], [[data[0], self.units]], []

    def compute(self, in_data, out_data, req, is_train):
        out_data[0][:] = nd.dot(in_data[0], in_data[1], transpose_b=True)


def test_deferred_parameters_are_completed_from_the_other_inputs():
    asked = []

    def complete(shape):
        asked.append(tuple(shape))
        return nd.ones(tuple(shape))

    deferred = DeferredArray((4, 0), 0, complete)
    assert deferred.dtype is np.float32
    result = call(Dense, nd.ones((2, 3)), deferred)
    assert asked == [(4, 3)]
    assert result.asnumpy().tolist() == [[3] * 4] * 2


def test_deferred_parameter_whose_known_part_does_not_fit():
    with pytest.raises(OpforgeError):
        call(Dense, nd.ones((2, 3)), DeferredArray((5, 0), 0, nd.ones))


def test_elementwise_operators_cannot_infer_a_parameter():
    for name in ("square", "broadcast_add"):
        with pytest.raises(ShapeError, match=rf"'{name}'.* cannot infer the shape"):
            getattr(nd, name)(*[DeferredArray((0,), 0, nd.ones)] * (1 + (name != "square")))
