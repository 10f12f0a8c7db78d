"""Attributes of modules that plugins provide."""

import sys
from types import ModuleType

import pytest

from opforge.op.registry.modules import plugin_attributes


def test_own_names_and_those_of_plugins_are_listed(monkeypatch):
    monkeypatch.setitem(sys.modules, "m", ModuleType("m"))
    attribute, names = plugin_attributes("m", "layer", ["Own"])
    assert "Own" in names()
    with pytest.raises(AttributeError, match="module 'm' has no attribute '_x'"):
        attribute("_x")
    with pytest.raises(AttributeError, match="NoSuchLayer"):
        attribute("NoSuchLayer")
