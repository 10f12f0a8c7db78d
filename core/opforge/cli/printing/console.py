"""What all commands print with: tables that pipes can read, JSON, and errors."""

import io
import json
import os
import pydoc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = [
    "FULL_WIDTH",
    "NO_PLUGIN",
    "PIPE_WIDTH",
    "fail",
    "literal",
    "open_console",
    "paged",
    "plain_table",
    "print_json",
    "print_plain",
    "print_whole",
    "report_stale",
    "visible",
]

#: Printed where there is nothing to list.
NO_PLUGIN = "No plugin is installed. All first-party ones: pip install 'opforge[std]'"
#: Tables that would be broken into slivers on narrower terminals have another form there.
FULL_WIDTH = 140
#: Width where the output is no terminal: one line for each row, for grep and for files.
PIPE_WIDTH = 240


def open_console() -> Console:
    """Return the console for standard output, wide where that is no terminal."""
    own = Console(highlight=False)
    # Rich obeys COLUMNS by itself.
    if own.is_terminal or "COLUMNS" in os.environ:
        return own
    return Console(highlight=False, width=PIPE_WIDTH)


def print_plain(console: Console, *things: Any, **options: Any) -> None:
    """Print without the blanks that fill a table's lines."""
    with console.capture() as capture:
        console.print(*things, **options)
    for line in capture.get().splitlines():
        sys.stdout.write(f"{line.rstrip()}\n")


def print_whole(console: Console, text: str, **options: Any) -> None:
    """Print lines that are to be copied: they are never broken, whatever width there is."""
    print_plain(console, text, soft_wrap=True, **options)


@contextmanager
def paged() -> Iterator[None]:
    """Show what is printed meanwhile by pages, where it is longer than the terminal.

    The pager is what ``PAGER`` names; ``less`` shows the text as it is and leaves it there.
    """
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        text = printed.getvalue()
        console = open_console()
        if console.is_terminal and text.count("\n") >= console.height:
            os.environ.setdefault("LESS", "-FRX")
            pydoc.pager(text)
        else:
            sys.stdout.write(text)


def visible(text: str) -> str:
    r"""Return a stranger's text for a terminal, which is not to obey what stands in it.

    Examples
    --------
    >>> visible("a \x1b[31mred\x1b[0m word")
    'a \\x1b[31mred\\x1b[0m word'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def literal(text: str) -> str:
    """Return a stranger's text for rich, in which it is neither markup nor a terminal's code."""
    return escape(visible(text))


def plain_table(title: str | None = None, **options: Any) -> Table:
    """Return an empty table without lines, its title at the left."""
    return Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        **options,
    )


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def report_stale(paths: Iterable[Path], folder: Path, command: str) -> None:
    """Name the files that are out of date; end with status 1 if there are any.

    Parameters
    ----------
    paths : iterable of Path
    folder : Path
        Where they are.
    command : str
        What writes them.
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
    """Print an error and end the command with status 1."""
    sys.stderr.write(f"{visible(message)}\n")
    raise typer.Exit(1)
