"""Printing for people, for pipes and for programs."""

import json

import pytest
import typer
from rich.console import Console

from opforge.cli.printing import console


def test_a_pipe_gets_one_line_for_each_row(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    table = console.plain_table("Title")
    table.add_column("a")
    table.add_row("x" * 150)
    console.print_plain(console.open_console(), table)
    title, head, row = capsys.readouterr().out.splitlines()
    assert (title, head, row) == ("Title", "a", "x" * 150)


def test_columns_are_obeyed(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    assert console.open_console().width == 70
    monkeypatch.delenv("COLUMNS")
    assert console.open_console().width == console.PIPE_WIDTH


@pytest.mark.parametrize(("terminal", "lines"), [(True, 3), (True, 100), (False, 100)])
def test_what_is_longer_than_the_terminal_is_shown_by_pages(capsys, monkeypatch, terminal, lines):
    shown = []
    own = Console(force_terminal=terminal, height=24)
    monkeypatch.setattr(console, "open_console", lambda: own)
    monkeypatch.setattr(console.pydoc, "pager", shown.append)
    monkeypatch.setenv("LESS", "")
    with console.paged():
        print("a line\n" * lines, end="")
    by_pages = terminal and lines > 24
    assert shown == ["a line\n" * lines] * by_pages
    assert capsys.readouterr().out == "a line\n" * (lines * (not by_pages))


def test_what_was_printed_before_an_error_is_shown(capsys):
    with pytest.raises(typer.Exit), console.paged():
        print("first")
        console.fail("and no more")
    assert capsys.readouterr() == ("first\n", "and no more\n")


def test_json_keeps_letters(capsys):
    console.print_json({"unit": "µs"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"unit": "µs"}
    assert "µs" in out


def test_a_failure_is_a_line_and_a_status(capsys):
    with pytest.raises(typer.Exit) as raised:
        console.fail("no such thing")
    assert raised.value.exit_code == 1
    assert capsys.readouterr().err == "no such thing\n"


def test_texts_of_strangers_are_neither_markup_nor_codes(capsys):
    console.print_plain(console.open_console(), console.literal("[/bold] [red]x\x1b[2J\x9b2J"))
    assert capsys.readouterr().out == "[/bold] [red]x\\x1b[2J\\x9b2J\n"
    with pytest.raises(typer.Exit):
        console.fail("a\x1b[2J")
    assert capsys.readouterr().err == "a\\x1b[2J\n"


@pytest.mark.parametrize(
    "command",
    [
        ("ops",),
        ("ops", "show", "fx_härte"),
        ("ops", "search", "fx_"),
        ("ops", "why", "fx_[red]x"),
        ("plugins",),
        ("plugins", "--check"),
        ("plugins", "show", "FX.hostile", "--check"),
        ("doctor",),
    ],
)
def test_a_hostile_plugin_is_only_shown(opforge, command):
    failing = "--check" in command or command == ("doctor",)
    done = opforge(*command, installed=["fx-hostile"], code=int(failing))
    text = done.stdout + done.stderr
    assert "hostile" in text.lower()
    assert not {"\x1b", "\x07"} & set(text)
