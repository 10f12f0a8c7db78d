"""``opforge docs``: reference pages of the installed operators and layers."""

from pathlib import Path
from typing import Annotated

import typer

from opforge.cli.printing.console import fail, report_stale

__all__ = ["docs"]

Distributions = Annotated[
    list[str] | None, typer.Argument(metavar="[DIST]...", help="Only these distributions.")
]
Output = Annotated[Path, typer.Option("--output", metavar="DIR", help="Output folder.")]
Check = Annotated[
    bool,
    typer.Option("--check", help="Write nothing; exit with status 1 if a page is out of date."),
]


def docs(
    distributions: Distributions = None, output: Output = Path("reference"), check: Check = False
) -> None:
    """Write reference pages (Markdown, for MyST) of operators and layers.

    The pages are generated from declarations without importing plugins. Pages of removed operators
    are deleted.
    """
    from ..reference.files import leftover_files, stale_files, write_files
    from ..reference.pages import MARK, page_texts

    texts = page_texts(distributions or ())
    if len(texts) == 1:
        fail(f"{', '.join(distributions or ())}: no such plugin is installed; see opforge plugins")
    leftover = leftover_files(output, texts, MARK)
    if check:
        report_stale([*stale_files(output, texts), *leftover], output, "opforge docs")
        return
    try:
        written = write_files(output, texts)
        for path in leftover:
            path.unlink()
    except OSError as error:
        fail(f"the pages cannot be written: {error}. Choose a folder: opforge docs --output DIR")
    typer.echo(f"{output}: {len(written)} of {len(texts)} pages written, {len(leftover)} removed")
