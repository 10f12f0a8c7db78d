"""Tests of typed attributes that are read from text."""

import ast

import pytest

from opforge.plugin.source_attributes import read_attribute


def read(text):
    return read_attribute("axis", ast.parse(text, mode="eval").body)


def test_a_whole_attribute_is_itself():
    found = read("Attribute(int, default=-1, ge=-2, doc='An axis.')")
    assert (found.doc, found.text) == ("An axis.", found.attribute.describe)
    assert (found.attribute.name, found.attribute.default) == ("axis", -1)
    assert read("Attribute(int, -1)").attribute.default == -1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Attribute(int, default=AXIS, doc='An axis.')", "int, see the source"),
        ("Attribute(kind_of(1), doc='An axis.')", "computed, see the source"),
        ("Attribute(int, default='x', doc='An axis.')", "int, not valid: "),
        ("Attribute(doc='An axis.')", "computed, see the source"),
    ],
)
def test_computed_or_invalid_attributes_are_described(text, said):
    found = read(text)
    assert found.text.startswith(said)
    assert (found.doc, found.attribute) == ("An axis.", None)
