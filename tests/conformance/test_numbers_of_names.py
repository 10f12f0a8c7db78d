"""Attributes that count inputs or outputs are limited: files cannot ask for endless names."""

import pytest

from opforge import std
from opforge.base.errors import AttributeValueError
from opforge.op.registry.registry import lookup, names
from opforge.plugin_api import OperatorProp

COUNTS = {
    "SliceChannel": "num_outputs",
    "_split_v2": "sections",
    "multi_sgd_update": "num_weights",
    "_multi_lamb_update": "num_tensors",
    "preloaded_multi_sgd_update": "num_weights",
}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_numbers_of_names_are_limited(name):
    attribute = lookup(name).prop_class.attributes[COUNTS[name]]
    with pytest.raises(AttributeValueError, match=r"exceed bound"):
        attribute.parse(1 << 32, name)


def test_numbers_of_variadic_inputs_are_limited():
    std.register()
    variadic = [
        prop
        for prop in (lookup(name).prop_class for name in names())
        if issubclass(prop, OperatorProp) and prop.variadic is not None
    ]
    assert len(variadic) > 20
    for prop in variadic:
        with pytest.raises(AttributeValueError, match=r"exceed bound"):
            prop.attributes[prop.variadic].parse(1 << 32, prop.name)
