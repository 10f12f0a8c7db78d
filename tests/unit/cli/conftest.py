"""Fixtures of the command line's tests: fake distributions, and ``opforge`` run with them."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from opforge import plugin
from opforge.cli.app import app
from opforge.op.table import forget_decisions

DISTRIBUTIONS = Path(__file__).parents[2] / "fixtures" / "distributions"


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch):
    """Give tables the width of pipes; who runs the tests may have said how wide lines are."""
    monkeypatch.delenv("COLUMNS", raising=False)


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
    for name in [name for name in sys.modules if name.startswith("fx_")]:
        del sys.modules[name]


@pytest.fixture
def opforge(with_plugins):
    """Return a function that runs ``opforge`` with fake distributions installed.

    It runs in this process, which a process of its own would take a second to become.
    """

    def run(*arguments, installed=(), code=0):
        with_plugins(*installed)
        done = CliRunner().invoke(app, arguments, prog_name="opforge")
        assert done.exit_code == code, done.output
        imported = sorted(name for name in sys.modules if name.startswith("fx_"))
        return SimpleNamespace(stdout=done.stdout, stderr=f"{done.stderr}IMPORTED {imported}\n")

    return run
