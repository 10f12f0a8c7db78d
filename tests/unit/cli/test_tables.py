"""Tests of the tables."""

from opforge.cli import tables


def test_empty_listings_say_what_to_install(capsys):
    tables.print_plugins([], checked=False)
    tables.print_operators([])
    assert capsys.readouterr().out.count("pip install 'opforge[std]'") == 2


def test_markup_in_plugin_text_is_shown_as_it_is(capsys):
    row = dict.fromkeys(("plugin", "version", "state", "error", "traceback"), "[bold]x[/bold]")
    tables.print_plugins([{**row, "operators": ["a"], "layers": [], "problems": []}], checked=True)
    assert "[bold]x[/bold]" in capsys.readouterr().out
