import numpy as np
import pytest
from opforge_tools.testing._battery.checks.operator_checks.agreement import (
    Limit,
    compare_gradients,
    compare_outputs,
    compared_types,
    expected_outputs,
)
from opforge_tools.testing._battery.subjects.subject import OperatorSubject

from opforge.op.registry import registry
from opforge.testing import Sample

TOLERANCES = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-10}


def subject(name, reference=None, dtypes=("float32", "float64"), **options):
    return OperatorSubject(registry.lookup(name), [], reference, TOLERANCES, dtypes, 0, **options)


def test_float16_is_compared_unless_types_were_named():
    assert compared_types(subject("exp")) == ("float32", "float64", "float16")
    assert compared_types(subject("exp", with_half=False)) == ("float32", "float64")


def test_inputs_are_rounded_before_the_reference_gets_them():
    sample = Sample([np.array([1000.1])])
    assert compare_outputs(subject("square", np.square), sample, "float16", Limit(slack=0.1))


def test_overflow_is_compared_as_infinity():
    sample = Sample([np.array([300.0, 2.0])])
    assert compare_outputs(subject("square", np.square), sample, "float16")
    assert expected_outputs(subject("square", np.square), sample)[0].tolist() == [90000, 4]


def test_errors_are_taken_relative_to_the_largest_number_or_the_floor():
    sample = Sample([np.array([1e-3])])
    near = subject("square", lambda x: np.square(x) + 1e-6)
    assert compare_outputs(near, sample, "float32")
    with pytest.raises(AssertionError, match="dtype float32, output 0"):
        compare_outputs(near, sample, "float32", Limit(floor=1e-3))


def test_elements_that_overflow_may_be_left_out():
    sample = Sample([np.array([100.0, 1.0])])
    clipped = subject("exp", lambda x: np.exp(np.minimum(x, 80)))
    with pytest.raises(AssertionError, match="inf"):
        compare_outputs(clipped, sample, "float32")
    assert compare_outputs(clipped, sample, "float32", Limit(overflow=True))


def test_gradients_are_compared_with_those_of_float64():
    assert compare_gradients(subject("tanh"), Sample([np.array([0.5, -2.0])]), "float32")
