"""The table of kinds of rules agrees with the fields of declarations."""

import inspect

import pytest

from opforge.op.declaring.rules import DeclaredRules
from opforge.op.rules.kinds import RULE_KINDS
from opforge.plugin_api import OperatorProp


@pytest.mark.parametrize("kind", RULE_KINDS.values(), ids=lambda kind: kind.name)
def test_each_kind_is_a_field_that_is_empty_by_default(kind):
    assert kind.name in vars(DeclaredRules)
    assert getattr(OperatorProp, kind.name) is None
    assert inspect.signature(eval(f"lambda {kind.parameters}: None")).parameters
    assert kind.parameters.startswith("prop, ")
