"""Allowed results of a declaration's methods, and the errors for others."""

import numpy as np
import pytest

from opforge.base.errors import DTypeError, OperatorError, ShapeError
from opforge.op.declaring import validation

NAMES = (["data", "weight"], ["out"], [])


class Names:
    """A declaration whose inputs a test chooses."""

    def __init__(self, inputs):
        self._inputs = inputs

    def list_arguments(self):
        return self._inputs

    def list_outputs(self):
        return ["out"]

    def list_auxiliary_states(self):
        return ()


def test_names():
    assert validation.names_of(Names(["x"]), "op") == (["x"], ["out"], [])
    with pytest.raises(OperatorError, match="list_arguments returned 'x', expected a list"):
        validation.names_of(Names("x"), "op")


def test_errors_of_authors_name_the_stage():
    def fail():
        raise ValueError("no")

    with pytest.raises(OperatorError, match="infer_shape") as told:
        validation.call_method(fail, "op", "infer_shape", None)
    assert isinstance(told.value.__cause__, ValueError)


def test_states_may_be_left_out():
    assert validation.validated_groups([[1, 2], [3]], "op", "infer_shape", NAMES) == [
        [1, 2],
        [3],
        (),
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "returned None"),
        ([[1, 2]], "returned 1 lists"),
        ([[1, 2], 3], "for the outputs, expected a list of 1"),
        ([[1], [3]], r"returned 1 inputs, expected 2 \(data, weight\)"),
    ],
)
def test_lists_that_do_not_fit_the_names(answer, message):
    with pytest.raises(ShapeError, match=message):
        validation.validated_groups(answer, "op", "infer_shape", NAMES)


def test_a_shape():
    assert validation.validated_shape(None, "op", "input", "x") == ()
    assert validation.validated_shape([np.int64(2), 0], "op", "input", "x") == (2, 0)
    for value, message in (
        (3, r"write \[3\]"),
        ([1.5], "use // where / made a float"),
        ([-1], ">= 0"),
    ):
        with pytest.raises(ShapeError, match=message):
            validation.validated_shape(value, "op", "input", "x")


def test_a_type():
    assert validation.validated_code(None, "op", "input", "x") == validation.UNKNOWN_TYPE
    assert validation.dtype_text(validation.UNKNOWN_TYPE) == "unknown"
    assert (
        validation.dtype_text(validation.validated_code("float32", "op", "input", "x")) == "float32"
    )
    with pytest.raises(DTypeError, match="infer_type returned 'word' as the type of input 'x'"):
        validation.validated_code("word", "op", "input", "x")
