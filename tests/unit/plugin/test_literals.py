"""Tests of values in source text."""

import ast

import pytest

from opforge.plugin.literals import COMPUTED, read_literal


@pytest.mark.parametrize("text", ["1", "('a', 'b')", "{'a': [1.5, None]}", "-2"])
def test_literals_are_values(text):
    assert read_literal(ast.parse(text, mode="eval").body) == ast.literal_eval(text)


@pytest.mark.parametrize("text", ["f()", "a.b", "[1, x]", "lambda: 0", "{[]: 1}"])
def test_everything_else_is_computed(text):
    assert read_literal(ast.parse(text, mode="eval").body) is COMPUTED
