"""All values under one key have the same type, in every operator."""

import pytest

from opforge.base.errors import OpforgeError
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.named_attributes import check_kinds


def test_the_first_value_decides():
    check_kinds("first", {"test_kinds_a": 1})
    check_kinds("second", {"test_kinds_a": 2})
    message = r"'third': attribute 'test_kinds_a' is 'x', of the kind str, but .*'first' has a int"
    with pytest.raises(OpforgeError, match=message):
        check_kinds("third", {"test_kinds_a": "x"})


def test_everything_that_can_be_called_is_a_function():
    check_kinds("first", {"test_kinds_b": len})
    check_kinds("second", {"test_kinds_b": lambda attrs: 1})
    with pytest.raises(OpforgeError, match="kind type"):
        check_kinds("third", {"test_kinds_b": int})


def test_class_bodies_are_checked():
    check_kinds("first", {"test_kinds_c": True})
    with pytest.raises(OpforgeError, match="'counted': attribute 'test_kinds_c'"):

        class Counted(OperatorProp):
            name = "counted"
            attrs = {"test_kinds_c": 1}


def test_pairs_in_place_may_be_a_list_or_a_function():
    check_kinds("first", {"FInplaceOption": [(0, 0)]})
    check_kinds("second", {"FInplaceOption": lambda attrs: [(0, 0)]})
