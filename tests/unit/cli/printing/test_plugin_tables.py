"""Tests of the tables of plugins."""

from opforge.cli.printing import plugin_tables

ROW = dict.fromkeys(
    ("plugin", "version", "state", "error", "traceback", "remedy"), "[bold]x[/bold]"
)


def test_an_empty_listing_suggests_an_installation(capsys):
    plugin_tables.print_plugins([], checked=False)
    plugin_tables.print_verified([])
    assert capsys.readouterr().out.count("pip install 'opforge[std]'") == 2


def test_markup_in_plugin_text_is_escaped(capsys):
    row = {**ROW, "operators": ["a"], "layers": [], "others": {}, "problems": []}
    plugin_tables.print_plugins([row], checked=True)
    assert capsys.readouterr().out.count("[bold]x[/bold]") >= 5


def test_narrow_terminals_break_no_name(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "46")
    names = ["a_rather_long_name", "_contrib_box_nms", "_hidden"]
    row = {**ROW, "operators": names, "layers": ["Dense"], "others": {}, "problems": []}
    plugin_tables.print_plugins([row], checked=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:5] == [
        "  operators: a_rather_long_name,",
        "    contrib.box_nms",
        "  layers: Dense",
    ]


def test_findings_are_counted(capsys):
    row = {"subject": "acme", "message": "it is [red]", "remedy": "pip install x"}
    plugin_tables.print_findings([row])
    assert capsys.readouterr().out == "acme: it is [red]\n    pip install x\n\n1 problem found.\n"
    plugin_tables.print_findings([])
    assert capsys.readouterr().out == "No problems found.\n"


def test_a_remedy_is_never_broken_over_two_lines(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    remedy = "pip install --force-reinstall --no-deps acme==1.0"
    plugin_tables.print_findings([{"subject": "a", "message": "b", "remedy": remedy}])
    plugin_tables.print_plugins([], checked=False)
    out = capsys.readouterr().out
    assert f"    {remedy}\n" in out
    assert "pip install 'opforge[std]'\n" in out


def test_distributions_without_entry_points_are_reported(capsys):
    row = {"plugin": "x", "version": "1", "installed": "", "modules": {}, "commands": {}}
    plugin_tables.print_plan([row])
    assert "not a plugin: it has no entry point in the group opforge" in capsys.readouterr().out
