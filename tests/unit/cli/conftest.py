"""Tests of the command line print to no terminal."""

import pytest


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch):
    """Give tables the width of pipes; who runs the tests may have said how wide lines are."""
    monkeypatch.delenv("COLUMNS", raising=False)
