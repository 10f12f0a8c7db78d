"""Typed parameters: structures of fields, and MXNet's descriptions read as types."""

import pytest

from opforge.base.errors import AttributeValueError
from opforge.op.declaring.attribute import REQUIRED, Attribute
from opforge.op.nnvm import NodeAttrs, Parameter, param_parser
from opforge.op.nnvm.parameter import attribute_from_text


class ActivationParam(Parameter):
    act_type = Attribute(str, choices=("relu", "sigmoid"), doc="Function to be applied.")
    slope = Attribute(float, default=0.25, ge=0)


def test_fields_are_parsed():
    found = param_parser(ActivationParam)(NodeAttrs("act", {"act_type": "relu", "slope": "0.5"}))
    assert (found.act_type, found.slope) == ("relu", 0.5)
    assert repr(found) == "ActivationParam(act_type='relu', slope=0.5)"
    assert list(ActivationParam.fields) == ["act_type", "slope"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "Required parameter act_type"),
        ({"act_type": "tanh"}, "'tanh', valid values are: {'relu', 'sigmoid'}"),
        ({"act_type": "relu", "slope": -1}, "should be greater equal to 0"),
        ({"act_type": "relu", "slop": 1}, "Cannot find argument 'slop'"),
    ],
)
def test_wrong_values_are_rejected_in_mxnets_words(values, message):
    with pytest.raises(AttributeValueError, match=message):
        ActivationParam(**values)


@pytest.mark.parametrize(
    ("text", "given", "parsed", "default"),
    [
        ("float, required", "2.5", 2.5, REQUIRED),
        ("float", "2.5", 2.5, REQUIRED),
        ("int, optional, default='1'", "3", 3, 1),
        ("boolean, optional, default=0", "True", True, False),
        ("string, optional, default=''", "x", "x", ""),
        ("Shape(tuple), required", "(2, 3)", (2, 3), REQUIRED),
        ("Shape(tuple), optional, default=[1,2]", [4], (4,), (1, 2)),
        ("int or None, optional, default='None'", "None", None, None),
        ("{'relu', 'sigmoid'}, required", "relu", "relu", REQUIRED),
        ("{None, 'clip', 'wrap'}, optional, default='clip'", None, None, "clip"),
        ("long (non-negative), optional, default=0", "5", 5, 0),
        ("double, optional", "1", 1.0, None),
    ],
)
def test_descriptions_are_types(text, given, parsed, default):
    attribute = attribute_from_text(text, "doc")
    assert attribute.parse(given, "op") == parsed
    assert attribute.default == default or attribute.default is default


def test_bounds_of_a_description_hold():
    with pytest.raises(AttributeValueError):
        attribute_from_text("int (non-negative), required").parse("-1", "op")


@pytest.mark.parametrize("text", ["flaot, required", "", "NDArray"])
def test_unknown_descriptions_are_rejected(text):
    with pytest.raises(TypeError, match="begin it with one of boolean"):
        attribute_from_text(text)
