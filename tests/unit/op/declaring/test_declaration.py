"""Tests of OperatorProp."""

import pytest

from opforge.base.errors import AttributeValueError
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp


class Base(OperatorProp):
    axis = Attribute(int, default=-1)
    attrs = {"FInplaceOption": [(0, 0)]}


class Norm(Base):
    """Normalise.

    More text.
    """

    name = "norm"
    arguments = ("data", "gamma")
    outputs = ("output", "mean")
    auxiliary_states = ("moving",)
    eps = Attribute(float, default=1e-3, gt=0)


class Stack(OperatorProp):
    name = "stack"
    variadic = "num_args"
    num_args = Attribute(int, default=1, ge=1)


def test_attributes_are_parsed_and_inherited():
    assert list(Norm.attributes) == ["axis", "eps"]
    prop = Norm(axis="2")
    assert (prop.axis, prop.eps) == (2, 1e-3)
    assert prop.attribute_strings() == {"axis": "2"}
    assert repr(prop) == "Norm(axis=2, eps=0.001)"


def test_protocol_lists():
    prop = Norm()
    assert prop.list_arguments() == ["data", "gamma"]
    assert prop.list_outputs() == ["output", "mean"]
    assert prop.list_auxiliary_states() == ["moving"]
    assert prop.num_visible_outputs == 2
    assert Norm.doc_line() == "Normalise."
    assert Norm.named_attribute("FInplaceOption") == [(0, 0)]
    assert Norm.named_attribute("TIsBackward", False) is False


def test_unknown_and_invalid_attributes():
    with pytest.raises(AttributeValueError, match="Cannot find argument 'axes'"):
        Norm(axes=1)
    with pytest.raises(AttributeValueError, match="in operator norm"):
        Norm(eps=0)


def test_variadic_names():
    assert Stack(num_args=3).list_arguments() == ["arg0", "arg1", "arg2"]


def test_create_operator_must_be_written():
    with pytest.raises(NotImplementedError, match="Norm declares the operator 'norm'"):
        Norm().create_operator(None, [], [])
