"""Contradictions in the body of a declaration raise errors; attributes are collected from it."""

import pytest

from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.consistency import collect_attributes
from opforge.op.declaring.declaration import OperatorProp


def test_attributes_of_bases_come_first_and_none_removes_one():
    class Base:
        first = Attribute(int, default=1)
        second = Attribute(int, default=2)

    class Derived(Base):
        third = Attribute(int, default=3)
        first = None

    assert list(collect_attributes(Derived)) == ["second", "third"]
    assert list(collect_attributes(Derived, {Base})) == ["third"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"arguments": "data"}, r"write arguments = \('data',\)"),
        ({"outputs": 3}, "outputs is 3, expected a tuple"),
        ({"name": 4}, "name is 4"),
        ({"out": Attribute(int)}, "cannot be called 'out'"),
        ({"saves": ("inputs",), "infer_shape": Attribute(int)}, "cannot be called 'infer_shape'"),
        ({"data": Attribute(int)}, "both an input and an attribute"),
        ({"variadic": "n"}, "variadic = 'n' is not an attribute"),
    ],
)
def test_contradictions_raise_at_class_definition(body, message):
    with pytest.raises(TypeError, match=message):
        type("Bad", (OperatorProp,), body)


def test_shapes_from_values_need_a_composition():
    with pytest.raises(TypeError, match="computes outputs and their shapes, is missing"):

        class Chosen(OperatorProp):
            shapes_from_values = True
