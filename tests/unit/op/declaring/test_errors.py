"""Tests of operator errors."""

import traceback

import pytest

from opforge.base.errors import AttributeValueError, OperatorError, ShapeError
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.custom import CustomOpProp
from opforge.op.declaring.errors import (
    attribute_error,
    operator_error,
    shapes_text,
    was_checked_here,
    wrapping,
)
from opforge.op.registry.registry import Entry

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


def test_memory_errors_stay_memory_errors():
    error = operator_error(PLUGIN, "compose", None, MemoryError("no memory for 8 bytes"))
    assert isinstance(error, MemoryError)
    assert isinstance(error, OperatorError)
    assert str(error).endswith("raised MemoryError in compose: no memory for 8 bytes")


def test_shapes_text():
    assert shapes_text([]) == "none"
    assert shapes_text([(2,), ()]) == "(2,), unknown"


def test_wrapping():
    with wrapping(PLUGIN, "a stage", None):
        pass
    text = r"opforge-tile 0.1.0\) raised KeyError in a stage: 3"
    with pytest.raises(OperatorError, match=text), wrapping(PLUGIN, "a stage", None):
        raise KeyError(3)
    with pytest.raises(SystemExit), wrapping(PLUGIN, "a stage", None):
        raise SystemExit(1)


def test_attribute_error_names_the_plugin_once():
    error = attribute_error(PLUGIN, AttributeValueError("no such axis"))
    assert str(error) == "operator 'tile' (plugin opforge-tile 0.1.0): no such axis"
    assert attribute_error(PLUGIN, error) is error


def test_was_checked_here():
    with pytest.raises(AttributeValueError) as own:
        Attribute(int).parse("x", "tile")
    assert was_checked_here(own.value)
    with pytest.raises(AttributeValueError) as authors:
        raise AttributeValueError("by the author")
    assert not was_checked_here(authors.value)
    assert not was_checked_here(ValueError("never raised"))
