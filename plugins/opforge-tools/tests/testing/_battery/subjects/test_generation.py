import numpy as np
import pytest
from opforge_tools.testing._battery.subjects.generation import generated_samples
from opforge_tools.testing._battery.subjects.subject import OperatorSubject

from opforge.op.declaring.attribute import Attribute, Shape
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry
from opforge.plugin_api import ShapeError
from opforge.testing import check_op


def generated(name):
    from opforge.op.registry import registry

    entry = registry.lookup(name)
    assert isinstance(entry, Entry)
    subject = OperatorSubject(entry, [], None, {}, ("float32",), 0)
    return generated_samples(subject, np.random.default_rng(0))


def test_elementwise_gets_several_shapes():
    shapes = [sample.shapes[0] for sample in generated("tanh")]
    assert shapes == [(2, 3), (4,), (2, 3, 4), (3, 1), (2, 3, 4, 5)]


def test_parameters_follow_from_the_data():
    shapes = generated("FullyConnected")[0].shapes
    assert shapes[0] == (2, 3) and shapes[1][1] == 3


def test_inputs_that_are_counted():
    assert all(len(sample.inputs) == 2 for sample in generated("concat"))


class Fussy(OperatorProp):
    """Keep three axes."""

    name = "fussy"
    mode = Attribute(str, default="a", choices=("a", "b", "c"), doc="One of three.")
    flag = Attribute(bool, default=False, doc="Yes or no.")
    times = Attribute(int, ge=2, doc="At least two.")

    def infer_shape(self, in_shape):
        if len(in_shape[0]) != 3:
            raise ShapeError("operator 'fussy': expected three axes")
        return in_shape, [in_shape[0]], []

    def compose(self, F, data):
        return data * self.times


def test_choices_bounds_and_rejected_values():
    report = check_op(Fussy, only="/forward$")
    # Three axes fit one shape; the modes b and c, the flag, and another number of times.
    assert report.outcomes[0].samples == 2 * 5


class Never(Fussy):
    """Refuse everything."""

    name = "never"

    def infer_shape(self, in_shape):
        raise ShapeError("operator 'never': not today")


class Named(OperatorProp):
    """Need a value that nobody can guess."""

    name = "named"
    key = Attribute(str, doc="A key.")
    shape = Attribute(Shape, default=(1,), doc="A shape.")

    def compose(self, F, data):
        return data


@pytest.mark.parametrize(("declaration", "text"), [(Never, "not today"), (Named, "key of string")])
def test_missing_samples_fail_with_advice(declaration, text):
    report = check_op(declaration, raises=False)
    (outcome,) = report.outcomes
    assert (outcome.check, outcome.status) == ("samples", "failed")
    assert text in outcome.message and "Pass samples=" in outcome.message


@pytest.mark.parametrize("name", ["log", "sqrt", "arccosh", "arcsin", "take", "diag"])
def test_numbers_are_those_that_the_operator_is_made_for(name):
    assert check_op(name).passed
