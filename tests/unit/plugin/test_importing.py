"""Import of the object that an entry point names."""

import math

import pytest

from opforge.plugin.importing import import_object


def test_a_module_an_object_and_an_attribute_of_one():
    assert import_object("math") is math
    assert import_object(" math : pi ") == math.pi
    assert import_object("fractions:Fraction.limit_denominator").__name__ == "limit_denominator"


def test_missing_objects_raise_import_or_attribute_error():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import_object("no_such_module:x")
    with pytest.raises(AttributeError, match="no_such_name"):
        import_object("math:no_such_name")
