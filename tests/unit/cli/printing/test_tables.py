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


def test_details_name_the_auxiliary_states_in_the_call(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    empty = dict.fromkeys(("category", "deprecated", "class", "file", "error"), "")
    details = {
        **row("count"),
        **empty,
        "call": "nd.count",
        "description": "Count.",
        "auxiliary_states": ["share", "total"],
        "argument_docs": {"total": "shape (1,)"},
        "attributes": [{"name": "k", "type": "int, optional, default='1'", "doc": "Size."}],
        "aliases": [],
        "named_attributes": {},
        "rules": {"gradient": ["acme-rules", "best-rules"]},
        "exports": {"onnx": "", "listing": "composition"},
        "operator_version": None,
        "types": [],
    }
    tables.print_details([details])
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert ["call", "nd.count(data, share, total, k=1)"] in lines
    assert ["arguments", "data"] in lines
    assert ["added", "rules       gradient (acme-rules, best-rules)"] in lines
    exports = "not to onnx; to listing, if the operators that it is composed of are"
    assert ["exports", exports] in lines
    assert ["auxiliary", "states  share, total (shape (1,))"] in lines
