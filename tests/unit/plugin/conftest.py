"""Fixtures of the plugin tests: fake installed distributions and an emptied registry."""

import importlib
import os
import sys
from pathlib import Path

import pytest

import opforge
from opforge import plugin
from opforge.op.registry import registry
from opforge.op.registry.kinds import KINDS
from opforge.op.registry.table import TABLES, forget_decisions

# Register opforge's own contributions now; otherwise a plugin does in a test, which undoes it.
for home in filter(None, (kind.home for kind in KINDS.values())):
    importlib.import_module(home)

DISTRIBUTIONS = Path(__file__).parents[2] / "fixtures" / "distributions"


@pytest.fixture
def write_metadata():
    """Return the function of opforge-tools that writes a distribution's metadata."""
    from opforge_tools.testing._battery.project.metadata import write_metadata

    return write_metadata


@pytest.fixture
def installed(monkeypatch):
    """Return a function that makes fake distributions importable and visible, in that order."""
    for name in ("OPFORGE_PLUGINS", "OPFORGE_PIN", "OPFORGE_STRICT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPFORGE_CONFIG", os.devnull)
    for noun, table in TABLES.items():
        # For the other kinds, opforge's own are registered when their modules are imported.
        kept = {} if noun in ("operator", "layer") else dict(table._table)
        monkeypatch.setattr(table, "_table", kept)
        monkeypatch.setattr(table, "_settled", {})
    monkeypatch.setattr(registry, "_custom", {})
    monkeypatch.setattr(plugin.RESOLVER, "_states", None)
    monkeypatch.setattr(plugin.RESOLVER, "_settings", None)
    before = set(sys.modules)

    def install(*names: str) -> None:
        for name in reversed(names):
            monkeypatch.syspath_prepend(str(DISTRIBUTIONS / name.replace("-", "_")))
        plugin.RESOLVER._states = None
        forget_decisions()

    yield install
    monkeypatch.undo()
    forget_decisions()
    for name in set(sys.modules) - before:
        if name.removeprefix("opforge.").startswith("fx_"):
            del sys.modules[name]
            vars(opforge).pop(name.removeprefix("opforge."), None)
