"""Output for users, pipes and programs."""

import io
import json

import pytest
import typer

from opforge.base.text_tables import Column, TextTable
from opforge.cli.printing import console


def test_a_pipe_gets_one_line_for_each_row(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    table = TextTable([Column("a")], [("x" * 150,)], "Title")
    console.print_table(console.open_console(), table)
    title, head, row = capsys.readouterr().out.splitlines()
    assert (title, head, row) == ("Title", "a", "x" * 150)


def test_columns_are_obeyed(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    assert console.open_console().width == 70
    monkeypatch.delenv("COLUMNS")
    assert console.open_console().width == console.PIPE_WIDTH


@pytest.mark.parametrize(("terminal", "lines"), [(True, 3), (True, 100), (False, 100)])
def test_long_output_is_paged(capsys, monkeypatch, terminal, lines):
    shown = []
    own = console.Console(80, 24, terminal)
    monkeypatch.setattr(console, "open_console", lambda: own)
    monkeypatch.setattr(console.pydoc, "pager", shown.append)
    monkeypatch.setenv("LESS", "")
    with console.paged():
        print("a line\n" * lines, end="")
    by_pages = terminal and lines > 24
    assert shown == ["a line\n" * lines] * by_pages
    assert capsys.readouterr().out == "a line\n" * (lines * (not by_pages))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_a_terminal(monkeypatch):
    """Let standard output be a terminal of 80 columns that can show styles; return it.

    In the test itself: pytest puts its own standard output behind fixtures.
    """
    monkeypatch.setattr(console.sys, "stdout", Terminal())
    monkeypatch.setattr(console.shutil, "get_terminal_size", lambda fallback=None: (80, 24))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return console.sys.stdout


def test_pages_have_the_width_of_the_terminal_that_shows_them(monkeypatch):
    terminal = on_a_terminal(monkeypatch)
    with console.paged():
        inside = console.open_console()
        print(inside.bold("word"))
    assert inside == console.Console(80, 24, True)
    assert terminal.getvalue() == "\x1b[1mword\x1b[0m\n"


@pytest.mark.parametrize(
    ("variable", "value", "bold", "red"),
    [
        ("TERM", "xterm", "\x1b[1mx\x1b[0m", "\x1b[31mx\x1b[0m"),
        ("NO_COLOR", "1", "\x1b[1mx\x1b[0m", "x"),
        ("TERM", "dumb", "x", "x"),
    ],
)
def test_styles_are_for_terminals_that_have_them(monkeypatch, variable, value, bold, red):
    on_a_terminal(monkeypatch)
    monkeypatch.setenv(variable, value)
    own = console.open_console()
    assert (own.bold("x"), own.paint("x", "red")) == (bold, red)
    assert console.Console(80, 24, False).bold("x") == "x"


def test_prose_is_broken_where_the_console_ends(capsys):
    console.print_plain(console.Console(9, 24, False), "some words\nand more")
    assert capsys.readouterr().out == "some\nwords\nand more\n"


def test_output_before_an_error_is_shown(capsys):
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
        console.fail("no such name")
    assert raised.value.exit_code == 1
    assert capsys.readouterr().err == "no such name\n"


def test_errors_with_texts_of_strangers_have_no_codes(capsys):
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
