"""Attributes of modules that plugins provide."""

import sys
from types import ModuleType

import pytest

from opforge.op.registry.entry import CORE
from opforge.op.registry.kinds import KINDS, Kind
from opforge.op.registry.modules import plugin_attributes
from opforge.op.registry.table import TABLES, Registry


def test_own_names_and_those_of_plugins_are_listed(monkeypatch):
    monkeypatch.setitem(sys.modules, "m", ModuleType("m"))
    attribute, names = plugin_attributes("m", "layer", ["Own"])
    assert "Own" in names()
    with pytest.raises(AttributeError, match="module 'm' has no attribute '_x'"):
        attribute("_x")
    with pytest.raises(AttributeError, match="NoSuchLayer"):
        attribute("NoSuchLayer")


def test_the_home_of_a_kind_registers_its_own_contributions(monkeypatch):
    home = ModuleType("opforge.shapes")
    home.Shape = type("Shape", (), {})
    home.Round = type("Round", (home.Shape,), {})
    home.area = len
    table = Registry(Kind("shape", "shapes", "", "", "opforge.shapes:Shape", "opforge.shapes"))
    monkeypatch.setitem(TABLES, "shape", table)
    monkeypatch.setitem(sys.modules, "opforge.shapes", home)
    monkeypatch.setitem(sys.modules, "opforge.rounder", ModuleType("opforge.rounder"))
    plugin_attributes("opforge.rounder", "shape", ["Round"])
    assert table.names() == []
    plugin_attributes("opforge.shapes", "shape", ["Round", "Shape", "area"])
    assert [(entry.name, entry.provider) for entry in table.entries()] == [("Round", CORE)]


@pytest.mark.parametrize(
    ("noun", "name"),
    [
        ("layer", "HybridSequential"),
        ("loss", "HuberLoss"),
        ("scheduler", "CosineScheduler"),
        ("iterator", "NDArrayIter"),
        ("dataset", "ArrayDataset"),
        ("optimizer", "Adam"),
        ("metric", "Accuracy"),
        ("initializer", "Xavier"),
    ],
)
def test_contributions_of_the_core_are_registered(noun, name):
    module = __import__(KINDS[noun].home, fromlist=[name])
    entry = TABLES[noun].lookup(name)
    assert (entry.prop_class, entry.provider) == (getattr(module, name), CORE)
