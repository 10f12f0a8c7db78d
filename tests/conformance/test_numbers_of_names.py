"""Attributes that count inputs or outputs are limited: files cannot ask for endless names."""

import pytest

from opforge.base.errors import AttributeValueError
from opforge.op.registry.registry import lookup
from opforge.operator import get_all_registered_operators
from opforge.plugin_api import OperatorProp

PROPS = {
    prop.name: prop for prop in (lookup(name).prop_class for name in get_all_registered_operators())
}
COUNTS = {
    "SliceChannel": "num_outputs",
    "_split_v2": "sections",
    "multi_sgd_update": "num_weights",
    "_multi_lamb_update": "num_weights",
    "preloaded_multi_sgd_update": "num_weights",
} | {
    name: prop.variadic
    for name, prop in PROPS.items()
    if issubclass(prop, OperatorProp) and prop.variadic is not None
}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_numbers_of_names_are_limited(name):
    attribute = PROPS[name].attributes[COUNTS[name]]
    with pytest.raises(AttributeValueError, match=r"exceed bound"):
        attribute.parse(1 << 32, name)
