"""What a declaration's methods may answer, and what is said of the rest."""

import numpy as np
import pytest

from opforge.base.errors import DTypeError, OperatorError, ShapeError
from opforge.op.declaring import answers

NAMES = (["data", "weight"], ["out"], [])


class Names:
    """A declaration whose inputs are what a test says."""

    def __init__(self, inputs):
        self._inputs = inputs

    def list_arguments(self):
        return self._inputs

    def list_outputs(self):
        return ["out"]

    def list_auxiliary_states(self):
        return ()


def test_names():
    assert answers.names_of(Names(["x"]), "op") == (["x"], ["out"], [])
    with pytest.raises(OperatorError, match="list_arguments returned 'x', expected a list"):
        answers.names_of(Names("x"), "op")


def test_what_an_author_raises_is_told_with_the_stage():
    def fail():
        raise ValueError("no")

    with pytest.raises(OperatorError, match="infer_shape") as told:
        answers.ask(fail, "op", "infer_shape", None)
    assert isinstance(told.value.__cause__, ValueError)


def test_states_may_be_left_out():
    assert answers.answered_groups([[1, 2], [3]], "op", "infer_shape", NAMES) == [[1, 2], [3], ()]


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
        answers.answered_groups(answer, "op", "infer_shape", NAMES)


def test_a_shape():
    assert answers.answered_shape(None, "op", "input", "x") == ()
    assert answers.answered_shape([np.int64(2), 0], "op", "input", "x") == (2, 0)
    for value, message in (
        (3, r"write \[3\]"),
        ([1.5], "use // where / made a float"),
        ([-1], ">= 0"),
    ):
        with pytest.raises(ShapeError, match=message):
            answers.answered_shape(value, "op", "input", "x")


def test_a_type():
    assert answers.answered_code(None, "op", "input", "x") == answers.UNKNOWN_TYPE
    assert answers.dtype_text(answers.UNKNOWN_TYPE) == "unknown"
    assert answers.dtype_text(answers.answered_code("float32", "op", "input", "x")) == "float32"
    with pytest.raises(DTypeError, match="infer_type returned 'word' as the type of input 'x'"):
        answers.answered_code("word", "op", "input", "x")
