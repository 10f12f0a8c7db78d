"""``opforge`` run with fake distributions installed, for the tests of the command line."""

import sys
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from opforge.cli.app import app


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch):
    """Give tables the width of pipes; who runs the tests may have said how wide lines are."""
    monkeypatch.delenv("COLUMNS", raising=False)


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
