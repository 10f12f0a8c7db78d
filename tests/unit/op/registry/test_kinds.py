"""The table of kinds: rows agree with each other and with the package."""

import pytest

import opforge
import opforge.plugin_api
from opforge.op.registry.kinds import KINDS


def test_rows_differ():
    for field in ("noun", "plural", "group", "expression"):
        values = [getattr(kind, field) for kind in KINDS.values()]
        assert len(set(values)) == len(values), field
    assert [kind.noun for kind in KINDS.values()] == list(KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.noun)
def test_nothing_else_passes_for_one(kind):
    assert kind.problem(3)


def test_a_module_passes_for_one():
    assert KINDS["module"].problem(pytest) == ""
    assert "is neither a module" in KINDS["module"].problem(dict)


@pytest.mark.parametrize("kind", [k for k in KINDS.values() if k.base], ids=lambda kind: kind.noun)
def test_the_base_class_passes(kind):
    module, _, name = kind.base.partition(":")
    base = getattr(__import__(module, fromlist=[name]), name)
    assert kind.problem(base) == ""
    assert "does not derive from" in kind.problem(dict)


def test_the_call_of_a_rule_has_the_parts_of_its_name():
    assert KINDS["rule"].call("onnx:Cast") == "plugin_api.rules.find('onnx', 'Cast')"
    assert eval(KINDS["rule"].call("onnx:no_such_operator"), vars(opforge)) is None
