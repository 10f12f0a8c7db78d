"""Operators with a running average in a state, most of them with a wrong update."""

import numpy as np
import pytest

from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp

SAMPLES = [
    [(2, 3), np.ones(1)],
    {"inputs": [(4, 5), np.ones(1)], "attributes": {"momentum": 0.5}},
]


def averaging(update, **body):
    """Return an operator that divides by its state and updates it in training."""

    class Divide(CustomOp):
        def __init__(self, prop):
            super().__init__()
            self.prop = prop

        def forward(self, is_train, req, in_data, out_data, aux):
            self.former = aux[0].copy()
            self.assign(out_data[0], req[0], in_data[0] / self.former)
            if is_train:
                aux[0][:] = update(getattr(self.prop, "momentum", None), aux[0], in_data[0].abs())

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] / self.former)

    class DivideProp(OperatorProp):
        """Divide by the running mean of earlier batches."""

        name = "divide_by_average"
        auxiliary_states = ("average",)

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0]], [(1,)]

        def create_operator(self, ctx, shapes, dtypes):
            return Divide(self)

    return type("DivideProp", (DivideProp,), {"__doc__": DivideProp.__doc__, **body})


MOMENTUM = {"momentum": Attribute(float, default=0.9, ge=0, lt=1, doc="Weight of the former.")}
UPDATES = {
    "right": lambda m, s, x: m * s + (1 - m) * x.mean(),
    "swapped": lambda m, s, x: (1 - m) * s + m * x.mean(),
    "ignored": lambda m, s, x: 0.9 * s + 0.1 * x.mean(),
    "summed": lambda m, s, x: m * s + (1 - m) * x.sum(),
    "none": lambda m, s, x: s,
}


def without_states(data, average, momentum=0.9):
    return data / average


def with_states(data, average, momentum=0.9):
    return data / average, momentum * average + (1 - momentum) * np.abs(data).mean()


@pytest.mark.parametrize("update", UPDATES)
def test_a_reference_that_returns_states_finds_each_wrong_update(outcome, update):
    found = outcome(
        "states", averaging(UPDATES[update], **MOMENTUM), samples=SAMPLES, reference=with_states
    )
    assert (found.status == "passed") == (update == "right"), found
    if update == "right":
        assert not found.message
    else:
        assert "after training, auxiliary state 'average'" in found.message


@pytest.mark.parametrize("reference", [None, without_states])
@pytest.mark.parametrize(
    ("update", "status", "text"),
    [
        ("right", "passed", "the states after training were not compared"),
        ("swapped", "warned", "the greater the momentum, the more training changes"),
        ("ignored", "failed", "momentum=0.25 and 0.75, training leaves the same"),
        ("summed", "warned", "2 times as much"),
        ("none", "failed", "training does not change the auxiliary states 'average'"),
    ],
)
def test_without_states_the_momentum_and_the_mean_are_examined(
    outcome, update, status, text, reference
):
    declaration = averaging(UPDATES[update], **MOMENTUM)
    found = outcome("states", declaration, samples=SAMPLES, reference=reference)
    assert found.status == status and text in found.message, found


def test_other_states_than_averages_pass(outcome):
    plain = [[(2, 3), np.ones(1)]]
    for update in (lambda m, s, x: s + x.sum(), lambda m, s, x: s):
        found = outcome("states", averaging(update), samples=plain)
        assert found.status == "passed", found


def test_unbiased_variances_pass(outcome):
    def update(m, s, x):
        return m * s + (1 - m) * ((x - x.mean()) ** 2).sum() / (x.size - 1)

    found = outcome("states", averaging(update, **MOMENTUM), samples=SAMPLES)
    assert found.status == "passed", found


def test_types_are_compared_without_a_reference(outcome):
    def update(m, s, x):
        return 2 * s if s.dtype == np.float32 else 3 * s

    found = outcome("states", averaging(update), samples=[[(2, 3), np.ones(1)]])
    assert found.status == "failed" and "float32: after training" in found.message


def test_operators_without_states_are_skipped(outcome):
    found = outcome("states", "tanh")
    assert (found.status, found.message) == ("skipped", "it has no auxiliary states")
