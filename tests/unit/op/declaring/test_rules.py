"""Rules that a declaration has: empty by default, not mistaken for attributes."""

import pytest

from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import PROTOCOL, OperatorProp
from opforge.op.declaring.rules import DeclaredRules

FIELDS = sorted(
    name
    for name, value in vars(DeclaredRules).items()
    if not (name.startswith("__") or callable(value))
)


@pytest.mark.parametrize("field", FIELDS)
def test_a_declaration_has_no_rule_by_default(field):
    assert not getattr(OperatorProp, field)
    assert field in PROTOCOL


@pytest.mark.parametrize("field", [name for name in FIELDS if not name.startswith("epilogue")])
def test_an_attribute_cannot_hide_a_rule(field):
    with pytest.raises(TypeError, match=f"cannot be called '{field}'"):
        type("Bad", (OperatorProp,), {field: Attribute(int, default=1)})
