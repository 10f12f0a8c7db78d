"""Undoes what a test registers."""

import pytest

from opforge.op.rules import table


@pytest.fixture(autouse=True)
def own_rules(monkeypatch):
    monkeypatch.setattr(table, "_own", {})
    yield
    monkeypatch.undo()
    table._table.forget_decisions()
