import pytest

from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.category import CATEGORIES, MEANINGS
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import lookup
from opforge.std import register


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_declaration_has_one_of_the_categories(category):
    made = type("Made", (OperatorProp,), {"category": category})
    assert made.category == category


@pytest.mark.parametrize("category", ["Activation", None, ["loss"], Attribute(str)])
def test_unknown_categories_list_the_known_ones(category):
    with pytest.raises(TypeError, match=r"Made: category is .*, expected one of 'linear', "):
        type("Made", (OperatorProp,), {"category": category})


def test_primitive_operators_have_a_category():
    register()
    found = {name: lookup(name).prop_class.category for name in ("dot", "Flatten", "exp")}
    assert found == {"dot": "linear", "Flatten": "shape", "exp": "elementwise"}


@pytest.mark.plugins
def test_so_do_those_of_the_plugins():
    found = {name: lookup(name).prop_class.category for name in ("dense", "relu", "LayerNorm")}
    assert found == {"dense": "linear", "relu": "activation", "LayerNorm": "normalization"}


def test_each_has_its_meaning():
    assert set(MEANINGS) == set(CATEGORIES) - {""}
