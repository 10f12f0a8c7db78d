"""``opforge stubs``: type stubs of the operators and layers that are installed."""

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
        help="Folder that gets opforge-stubs. Default: this environment's site-packages.",
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Write nothing; exit status 1 if something is out of date.")
]


def stubs(output: Output = None, check: Check = False) -> None:
    """Write type stubs, so that editors complete nd.my_op( and type checkers check it.

    They are written from declarations and no plugin is imported. Type checkers find them in
    site-packages; run the command again after a plugin was installed or upgraded.
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
