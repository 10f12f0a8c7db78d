"""Tests of the list of all contributions."""

import json
import subprocess
import sys
from pathlib import Path

from opforge.cli.reference import listing
from opforge.cli.reference.rows import import_core
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.op.registry.entry import CORE
from opforge.op.registry.kinds import KINDS

SCRIPT = Path(__file__).resolve().parents[4] / "scripts" / "core_catalogue.py"
CHANGED = "what opforge itself has was changed: python scripts/core_catalogue.py --write"


class Demo(OperatorProp):
    """Show a row.

    More of it.
    """

    name = "fx_demo"
    aliases = ("_fx_hidden", "_contrib_fx")
    arguments = ("data", "label")


def test_the_stored_list_equals_the_registrations_of_the_core():
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True)
    stored = Path(listing.__file__).with_name(listing.STORED)
    assert stored.read_text(encoding="utf-8") == done.stdout, CHANGED


def test_stored_rows_equal_registered_rows(monkeypatch):
    import_core()
    registered = listing.contribution_rows(include_hidden=True)
    for kind in KINDS:
        monkeypatch.setattr(listing.TABLES[kind], "_table", {})
    stored = listing.contribution_rows(include_hidden=True)
    core = [row for row in stored if row["plugin"] == CORE]
    assert len(core) > 300
    assert all(row in registered for row in core)


def test_names_with_an_underscore_are_hidden_unless_programs_call_them(monkeypatch):
    monkeypatch.setattr(registry.OPERATORS, "_table", {})
    registry.register_operator(Demo, "acme", "3", "plugin")
    rows = {row["name"]: row for row in listing.contribution_rows()}
    assert rows["fx_demo"] == {
        "name": "fx_demo",
        "kind": "operator",
        "arguments": ["data", "label"],
        "outputs": ["output"],
        "plugin": "acme",
        "version": "3",
        "state": "loaded",
        "doc": "Show a row.",
    }
    assert "_contrib_fx" in rows
    assert "_fx_hidden" not in rows
    assert "_fx_hidden" in {row["name"] for row in listing.contribution_rows(include_hidden=True)}
    assert json.dumps(rows)
