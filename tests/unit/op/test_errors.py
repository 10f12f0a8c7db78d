"""Tests of operator errors."""

import traceback

import pytest

from opforge.base.errors import OperatorError, ShapeError
from opforge.op.custom import CustomOpProp
from opforge.op.errors import input_count_error, operator_error, shapes_text
from opforge.op.registry import Entry

PLUGIN = Entry("tile", CustomOpProp, "opforge-tile", "0.1.0", "plugin")


def test_message_and_facts():
    error = operator_error(PLUGIN, "forward", [(2, 3), ()], ValueError("odd"))
    assert str(error) == (
        "operator 'tile' (plugin opforge-tile 0.1.0) raised ValueError in forward: odd "
        "(input shapes: (2, 3), unknown)"
    )
    assert (error.operator, error.provider) == ("tile", "opforge-tile 0.1.0")


def test_program_operators_say_so():
    error = operator_error(Entry("mine", CustomOpProp), "constructor", None, KeyError())
    assert str(error) == (
        "operator 'mine' (registered in this program) raised KeyError in constructor: no message"
    )


def test_traceback_ends_at_the_authors_line():
    def author():
        raise ZeroDivisionError("in the author's line")

    with pytest.raises(OperatorError) as caught:
        try:
            author()
        except Exception as error:
            raise operator_error(PLUGIN, "forward", None, error) from error
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "author"


def test_shape_errors_stay_shape_errors():
    error = operator_error(PLUGIN, "infer_shape", None, ShapeError("operator 'tile': too long"))
    assert isinstance(error, ShapeError)
    assert isinstance(error, OperatorError)
    assert str(error).endswith("raised ShapeError in infer_shape: too long")


def test_input_count():
    message = str(input_count_error(PLUGIN, ["data", "reps"], 1))
    assert "expects 2 inputs, but got 1 instead: 'reps' missing" in message
    assert "it takes 'data'" in str(input_count_error("op", ["data"], 3))
    assert shapes_text([]) == "none"
