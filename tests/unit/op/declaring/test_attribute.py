"""Tests of typed attributes: accepted values, and MXNet's wording for rejected ones."""

import pickle
import re
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import pytest

from opforge.base.errors import AttributeValueError
from opforge.op.declaring.attribute import (
    REQUIRED,
    UNSET,
    Attribute,
    DType,
    Floats,
    OptionalInts,
    Shape,
    unknown_attribute,
)


class Holder:
    units = Attribute(int, ge=1, doc="Number of units.")
    act = Attribute(str, choices=("relu", "tanh"))
    rate = Attribute(float, default=0.5, ge=0, le=1)
    flag = Attribute(bool, default=False)
    table: ClassVar[dict] = {"units": units, "act": act}


ACCEPTED = [
    (Attribute(int), 3, 3),
    (Attribute(int), " 3 ", 3),
    (Attribute(int), np.int64(3), 3),
    (Attribute(float), 3, 3.0),
    (Attribute(float), "1e-2", 0.01),
    (Attribute(float), np.float32(0.5), 0.5),
    (Attribute(float), np.array(2.0), 2.0),
    (Attribute(bool), True, True),
    (Attribute(bool), 0, False),
    (Attribute(bool), "TRUE", True),
    (Attribute(bool), "0", False),
    (Attribute(bool), np.bool_(True), True),
    (Attribute(str), "x", "x"),
    (Attribute(Shape), 2, (2,)),
    (Attribute(Shape), [2, np.int64(3)], (2, 3)),
    (Attribute(Shape), "(1, 2)", (1, 2)),
    (Attribute(Shape), "[1,2]", (1, 2)),
    (Attribute(Shape), "2", (2,)),
    (Attribute(Shape), "()", ()),
    (Attribute(Shape), np.array([4, 5]), (4, 5)),
    (Attribute(Floats), "(0.5, 1)", (0.5, 1.0)),
    (Attribute(OptionalInts), (None, 2), (None, 2)),
    (Attribute(OptionalInts), "(None, 2)", (None, 2)),
    (Attribute(DType), "float64", np.float64),
    (Attribute(DType), np.dtype("int8"), np.int8),
    (Attribute(DType), str(np.float16), np.float16),
    (Attribute(DType), str(np.bool_), np.bool_),
    (Attribute(int, default=None), None, None),
    (Attribute(int, optional=True), "None", None),
]


@pytest.mark.parametrize(("attribute", "value", "expected"), ACCEPTED)
def test_accepts(attribute, value, expected):
    parsed = attribute.parse(value, "op")
    assert parsed == expected
    assert type(parsed) is type(expected)


REFUSED = [
    (Attribute(int), 2.0),
    (Attribute(int), "2.0"),
    (Attribute(int), True),
    (Attribute(int), None),
    (Attribute(float), "x"),
    (Attribute(float), True),
    (Attribute(float), 1j),
    (Attribute(bool), 2),
    (Attribute(bool), "maybe"),
    (Attribute(bool), None),
    (Attribute(str), 1),
    (Attribute(Shape), (2.0, 1)),
    (Attribute(Shape), "q"),
    (Attribute(Shape), "((1, 2), 3)"),
    (Attribute(Shape), None),
    (Attribute(DType), "float12"),
]


@pytest.mark.parametrize(("attribute", "value"), REFUSED)
def test_invalid_attributes_raise(attribute, value):
    with pytest.raises(AttributeValueError, match="Invalid Parameter format for"):
        attribute.parse(value, "op")


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        (
            Holder.units,
            "x",
            "Invalid Parameter format for units expect int but value='x', in operator FC",
        ),
        (Holder.units, UNSET, "Required parameter units of int is not presented, in operator FC"),
        (Holder.units, 0, "value 0 for Parameter units should be greater equal to 1"),
        (Holder.rate, 2, "value 2.0 for Parameter rate exceed bound [0,1]"),
        (Holder.rate, float("nan"), "value nan for Parameter rate exceed bound [0,1]"),
        (Holder.act, "foo", "Invalid Input: 'foo', valid values are: {'relu', 'tanh'}"),
        (Holder.act, "rel", "Did you mean act='relu'?"),
    ],
)
def test_wording(attribute, value, message):
    with pytest.raises(AttributeValueError) as caught:
        attribute.parse(value, "FC")
    assert message in str(caught.value)


def test_bounds_hold_for_each_element():
    with pytest.raises(AttributeValueError, match="value 0 for Parameter"):
        Attribute(Shape, ge=1).parse((1, 0), "op")


def test_numbers_of_names_are_limited():
    assert Attribute(int, ge=1, counts=True).parse(1 << 20, "t") == 1 << 20
    with pytest.raises(AttributeValueError, match=r"exceed bound \[1,1048576\]"):
        Attribute(int, ge=1, counts=True).parse(1 << 32, "t")
    assert Attribute(int, le=2, counts=True).bounds == (None, None, 2, None)


def test_unset_gives_the_default():
    assert Holder.rate.parse(UNSET, "op") == 0.5
    assert Attribute(Shape, default=[1, 2]).parse(UNSET, "op") == (1, 2)


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (Attribute(int), "int, required"),
        (Attribute(int, default=1), "int, optional, default='1'"),
        (Attribute(bool, default=True), "boolean, optional, default=1"),
        (Attribute(float, default=0.25), "float, optional, default=0.25"),
        (Attribute(Shape, default=None), "Shape or None, optional, default=None"),
        (Holder.act, "{'relu', 'tanh'}, required"),
        (Attribute(DType, default="float32"), "dtype, optional, default='float32'"),
    ],
)
def test_describe(attribute, text):
    assert attribute.describe == text


def named(name, *arguments, **options):
    attribute = Attribute(*arguments, **options)
    attribute.name = name
    return attribute


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (named("p", float, ge=0, lt=1), "0 <= p < 1"),
        (named("p", float, gt=0, le=1), "0 < p <= 1"),
        (named("k", int, ge=1), "k >= 1"),
        (named("k", int, gt=1), "k > 1"),
        (named("k", int, le=9), "k <= 9"),
        (named("shape", Shape, ge=0), "each of shape >= 0"),
        (named("k", int), ""),
    ],
)
def test_range_is_described(attribute, text):
    assert attribute.range_text == text
    assert attribute.describe == ", ".join(filter(None, [attribute.type_text, "required", text]))
    if text:
        with pytest.raises(AttributeValueError, match=re.escape(text)):
            attribute.parse("wrong", "op")


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        (Attribute(int), int),
        (Attribute(int, default=None), int | None),
        (Attribute(str, choices=("a", "b")), Literal["a", "b"]),
        (Attribute(str, choices=("a",), default=None), Literal["a"] | None),
        (Attribute(float, choices=(0.5, 1.0)), float),
        (Attribute(Shape), int | Sequence[int]),
        (Attribute(DType), str | type),
    ],
)
def test_annotations_are_valid_for_type_checkers(attribute, expected):
    assert attribute.annotation == expected


def test_bad_declarations():
    with pytest.raises(TypeError, match="attribute type <class 'list'> is unknown"):
        Attribute(list)
    with pytest.raises(TypeError, match="default 0 is not valid"):
        Attribute(int, default=0, ge=1)


def test_unknown_attribute_lists_all_and_suggests():
    message = str(unknown_attribute("FC", ["unit"], Holder.table, ["data"]))
    assert message.startswith("Cannot find argument 'unit', Possible Arguments:\n-------------")
    assert "units : int, required, units >= 1\n    Number of units." in message
    assert "Did you mean units?" in message


@pytest.mark.parametrize("attribute", [Attribute(Shape), Attribute(float), Attribute(DType)])
def test_text_parses_back(attribute):
    value = attribute.parse({Shape: (1, 2), float: 0.1, DType: "int8"}[attribute.type], "op")
    assert attribute.parse(attribute.text(value), "op") == value


def test_marks_survive_pickling():
    assert pickle.loads(pickle.dumps(UNSET)) is UNSET
    assert pickle.loads(pickle.dumps(REQUIRED)) is REQUIRED
    assert not UNSET
