"""``opforge stubs``: type stubs of the installed operators and layers."""

import sysconfig
from pathlib import Path
from typing import Annotated

import typer

from opforge.cli.printing.console import fail, report_stale

__all__ = ["stubs"]

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="DIR",
        help="Folder to write opforge-stubs to. Default: this environment's site-packages.",
    ),
]
Check = Annotated[
    bool,
    typer.Option("--check", help="Write nothing; exit with status 1 if a stub is out of date."),
]


def stubs(output: Output = None, check: Check = False) -> None:
    """Write type stubs for completion in editors and for type checkers.

    The stubs are generated from declarations without importing plugins. Type checkers find them in
    site-packages; run the command again after installing or upgrading a plugin.
    """
    from ..reference.files import stale_files, write_files
    from ..reference.stubs import PACKAGE, stub_texts

    folder = output or Path(sysconfig.get_path("purelib"))
    texts = stub_texts()
    if check:
        report_stale(stale_files(folder, texts), folder, "opforge stubs")
        return
    try:
        written = write_files(folder, texts)
    except OSError as error:
        fail(f"the stubs cannot be written: {error}. Choose a folder: opforge stubs --output DIR")
    typer.echo(f"{folder / PACKAGE}: {len(written)} of {len(texts)} files written")
