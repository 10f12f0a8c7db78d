"""Fake distributions, visible to the process of a test and to its children."""

import os
import sys
from pathlib import Path

import pytest

import opforge
from opforge import plugin
from opforge.op.registry.table import forget_decisions

DISTRIBUTIONS = Path(__file__).parents[1] / "fixtures" / "distributions"


@pytest.fixture
def with_plugins(monkeypatch):
    """Return a function that makes fake distributions visible to this process and its children."""
    for name in ("OPFORGE_PLUGINS", "OPFORGE_PIN", "OPFORGE_STRICT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPFORGE_CONFIG", os.devnull)
    before = list(sys.path)

    def install(*names):
        places = [str(DISTRIBUTIONS / name.replace("-", "_")) for name in names]
        monkeypatch.setattr(sys, "path", [*places, *before])
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*places, *filter(None, before)]))
        # Not `plugin.refresh`: settings that cannot be understood are for the command to find.
        plugin.RESOLVER._states = plugin.RESOLVER._settings = None
        forget_decisions()

    yield install
    monkeypatch.undo()
    plugin.refresh()
    for name in [n for n in sys.modules if n.removeprefix("opforge.").startswith("fx_")]:
        del sys.modules[name]
        vars(opforge).pop(name.removeprefix("opforge."), None)
