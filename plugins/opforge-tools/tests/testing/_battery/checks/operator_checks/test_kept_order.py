import pytest

import opforge as mx
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp

SAMPLES = [{"inputs": [(2, 3), (4, 3)]}]


class Joined(OperatorProp):
    """Join two arrays along an axis."""

    name = "joined_of_battery"
    axis = Attribute(int, default=0, doc="The axis.")

    def list_arguments(self):
        return ["left", "right"]

    def infer_shape(self, in_shape):
        shape = list(in_shape[0])
        shape[self.axis] += in_shape[1][self.axis]
        return in_shape, [shape], []

    def compose(self, F, left, right):
        return F.concat(left, right, dim=self.axis)

    def keeps_order(self, in_shapes):
        return self.axis == 0


def variant(**body):
    return type("Variant", (Joined,), {"__doc__": "Join two arrays.", **body})


def swapped(self, F, left, right):
    return F.concat(right, left, dim=self.axis)


def flipped(self, F, left, right):
    return F.flip(F.concat(left, right, dim=0), axis=1)


def test_each_sample_that_it_is_said_of_is_tried(outcome):
    samples = [*SAMPLES, {"inputs": [(2, 3), (2, 5)], "attributes": {"axis": 1}}]
    found = outcome("kept order", Joined, samples=samples)
    assert (found.status, found.samples) == ("passed", 2)  # of two element types


@pytest.mark.parametrize(
    ("compose", "message"),
    [
        (swapped, "element 0 of the outputs, concatenated, is 7.0, expected 1.0"),
        (flipped, "element 0 of the outputs, concatenated, is 3.0, expected 1.0"),
    ],
)
def test_another_order_is_found(outcome, compose, message):
    found = outcome("kept order", variant(compose=compose), samples=SAMPLES)
    assert found.status == "failed"
    assert "keeps_order is true for inputs of shapes (2, 3), (4, 3): " in found.message
    assert message in found.message
    assert "return False for these shapes" in found.message


def test_an_answer_that_is_true_of_some_shapes_alone_is_found(outcome):
    samples = [
        {"inputs": [(1, 3), (1, 5)], "attributes": {"axis": 1}},
        {"inputs": [(2, 3), (2, 5)], "attributes": {"axis": 1}},
    ]
    told = variant(keeps_order=lambda self, in_shapes: True)
    found = outcome("kept order", told, samples=samples)
    assert found.status == "failed"
    assert "of shapes (2, 3), (2, 5): element 3" in found.message


def test_numbers_that_change_in_training_are_found(outcome):
    def compose(self, F, left, right):
        return F.Custom(F.concat(left, right, dim=0), op_type="kept_order_negative")

    class Negative(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], -in_data[0] if is_train else in_data[0])

    @mx.operator.register("kept_order_negative")
    class NegativeProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Negative()

    found = outcome("kept order", variant(compose=compose), samples=SAMPLES)
    assert found.status == "failed"
    assert "in training" in found.message


class Cut(OperatorProp):
    """Give rows of two arrays."""

    name = "cut_of_battery"

    def list_arguments(self):
        return ["left", "right"]

    def list_outputs(self):
        return ["first", "second"]

    def infer_shape(self, in_shape):
        return in_shape, list(in_shape), []

    def compose(self, F, left, right):
        return [F.identity(left), F.identity(right)]

    def keeps_order(self, in_shapes):
        return True


def test_several_inputs_and_several_outputs_are_rejected(outcome):
    found = outcome("kept order", Cut, samples=SAMPLES)
    assert found.status == "failed"
    assert "got 2 inputs and 2 outputs, expected one input or one output" in found.message


class Counted(OperatorProp):
    """Give whole numbers."""

    name = "counted_of_battery"

    def infer_type(self, in_type):
        return in_type, ["int32"], []

    def compose(self, F, data):
        return F.cast(data, dtype="int32")

    def keeps_order(self, in_shapes):
        return True


def test_other_element_types_are_rejected(outcome):
    found = outcome("kept order", Counted, samples=[[(2, 3)]], dtypes=["float32"])
    assert found.status == "failed"
    assert "dtypes float32, int32, expected one" in found.message


class Rows(Counted):
    """Give some rows."""

    name = "rows_of_battery"

    def infer_type(self, in_type):
        return in_type, [in_type[0]], []

    def infer_shape(self, in_shape):
        return in_shape, [(in_shape[0][0] - 1, *in_shape[0][1:])], []

    def compose(self, F, data):
        return F.slice_axis(data, axis=0, begin=0, end=-1)


def test_fewer_elements_are_rejected(outcome):
    found = outcome("kept order", Rows, samples=[[(2, 3)]])
    assert found.status == "failed"
    assert "the outputs have 3 elements, expected 6 as the inputs" in found.message


@pytest.mark.parametrize("keeps_order_of", [None, lambda self, in_shapes: False])
def test_operators_that_do_not_say_so_are_skipped(outcome, keeps_order_of):
    found = outcome("kept order", variant(keeps_order=keeps_order_of), samples=SAMPLES)
    assert found.status == "skipped"
    assert found.message == ("keeps_order is not true for any sample")


@pytest.mark.parametrize("name", ["Concat", "stack", "SliceChannel"])
def test_declarations_of_core_operators_pass(outcome, name):
    inputs = [(2, 3)] if name == "SliceChannel" else [(2, 3), (2, 3)]
    key = "dim" if name == "Concat" else "axis"
    more = {"num_outputs": 2} if name == "SliceChannel" else {"num_args": 2}
    found = outcome(
        "kept order", name, samples=[{"inputs": inputs, "attributes": {key: 0, **more}}]
    )
    assert found.status == "passed"
