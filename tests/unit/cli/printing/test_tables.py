"""Tests of the tables."""

from opforge.cli.printing import tables


def test_an_empty_list_has_no_table(capsys):
    tables.print_contributions([])
    assert not capsys.readouterr().out


def row(name, plugin="acme-ops", kind="operator", doc="A description."):
    inputs = {"arguments": ["data"], "outputs": ["output"]}
    return {
        "name": name,
        "kind": kind,
        **inputs,
        "plugin": plugin,
        "version": "1.0",
        "state": "loaded",
        "doc": doc,
    }


def test_counts_come_first_and_descriptions_have_room(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = [
        row("a_name"),
        row("Dense", kind="layer"),
        row("_contrib_x", "other-ops", doc="w " * 30),
    ]
    tables.print_contributions(rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["acme-ops 1.0   1 operator, 1 layer", "other-ops 1.0  1 operator"]
    assert "a_name  A description." in lines
    (long,) = (line for line in lines if line.startswith("contrib.x"))
    assert len(long) > 60


def test_a_wide_terminal_shows_inputs_too(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    tables.print_contributions([row("_contrib_x")])
    assert "contrib.x  data       output   acme-ops  1.0" in capsys.readouterr().out
