"""Registries that forget what a test adds."""

import pytest

from opforge.cli.reference.rows import import_core
from opforge.op.registry.table import TABLES


@pytest.fixture
def own_tables(monkeypatch):
    """Replace the registries by copies, for tests that load a plugin."""
    import_core()
    for table in TABLES.values():
        monkeypatch.setattr(table, "_table", dict(table._table))
