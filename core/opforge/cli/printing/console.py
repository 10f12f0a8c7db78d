"""Console of all commands: tables, JSON and errors."""

import io
import json
import os
import pydoc
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import typer

from ...base.text_lines import visible, wrapped
from ...base.text_tables import TextTable

__all__ = [
    "FULL_WIDTH",
    "NO_PLUGIN",
    "PIPE_WIDTH",
    "Console",
    "fail",
    "open_console",
    "paged",
    "print_json",
    "print_plain",
    "print_table",
    "print_whole",
    "report_stale",
]

#: Printed if there is nothing to list.
NO_PLUGIN = "No plugin is installed. To get the standard layers: pip install 'opforge[std]'"
#: Width below which wide tables are printed in another form.
FULL_WIDTH = 140
#: Width if the output is not a terminal: one line for each row, for grep and files.
PIPE_WIDTH = 320
#: SGR codes of terminals (ECMA-48).
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "bold red": "1;31"}


@dataclass(frozen=True)
class Console:
    """Output of a command.

    Parameters
    ----------
    width, height : int
        Columns and lines.
    is_terminal : bool
        Whether the output is a terminal.
    """

    width: int
    height: int
    is_terminal: bool

    def paint(self, text: str, style: str) -> str:
        """Return a text with the codes of a style; unchanged if the terminal has no styles."""
        if not self.is_terminal or os.environ.get("TERM", "dumb") == "dumb":
            return text
        if "NO_COLOR" in os.environ and style not in ("bold", "dim"):
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m"

    def bold(self, text: str) -> str:
        """Return a text in bold."""
        return self.paint(text, "bold")


def open_console() -> Console:
    """Return the console of standard output, with `PIPE_WIDTH` if that is not a terminal."""
    is_terminal = sys.stdout.isatty()
    width, height = shutil.get_terminal_size()
    if not is_terminal and "COLUMNS" not in os.environ:
        width = PIPE_WIDTH
    return Console(width, height, is_terminal)


def print_plain(console: Console, text: str) -> None:
    """Print prose, wrapped to the width of the console."""
    print_whole("\n".join(wrapped(text, console.width)))


def print_table(console: Console, table: TextTable) -> None:
    """Print a table, fitted to the width of the console."""
    print_whole("\n".join(table.lines(console.width, console.paint)))


def print_whole(text: str) -> None:
    """Print text without wrapping, so that its lines can be copied."""
    sys.stdout.write(f"{text}\n")


class _Pages(io.StringIO):
    """Buffer of printed text that reports the properties of the terminal that will show it."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Return whether the pages are for a terminal."""
        return self._is_terminal


@contextmanager
def paged() -> Iterator[None]:
    """Show output of the block in a pager if it is longer than the terminal.

    The pager is that of ``PAGER``; ``less`` keeps styles, and leaves the text on the screen.
    """
    console = open_console()
    printed = _Pages(console.is_terminal)
    try:
        with redirect_stdout(printed):
            yield
    finally:
        text = printed.getvalue()
        if console.is_terminal and text.count("\n") >= console.height:
            os.environ.setdefault("LESS", "-FRX")
            pydoc.pager(text)
        else:
            sys.stdout.write(text)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def report_stale(paths: Iterable[Path], folder: Path, command: str) -> None:
    """Print the files that are out of date; exit with status 1 if there are any.

    Parameters
    ----------
    paths : iterable of Path
    folder : Path
        Folder of the files.
    command : str
        Command that writes them.
    """
    stale = list(paths)
    if stale and not any(path.exists() for path in stale):
        typer.echo(f"none of {len(stale)} files is in {folder}; to write them: {command}")
    else:
        for path in stale:
            typer.echo(f"out of date: {path}")
    if stale:
        raise typer.Exit(1)


def fail(message: str) -> NoReturn:
    """Print an error and exit with status 1."""
    sys.stderr.write(f"{visible(message)}\n")
    raise typer.Exit(1)
