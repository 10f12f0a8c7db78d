"""``opforge catalogue build``: a static, searchable page of plugins' contributions."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from opforge.base.errors import OpforgeError
from opforge.base.text_lines import visible
from opforge.cli.printing.console import fail

__all__ = ["catalogue"]

catalogue = typer.Typer(help="Build a web page of plugins' contributions.", no_args_is_help=True)


@catalogue.callback()
def _group() -> None:
    """Build a web page of plugins' contributions."""


@catalogue.command("build")
def build(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write the page to.")],
    wheels: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WHEELS_DIR]", help="Folder of wheels; default: the installed plugins."
        ),
    ] = None,
    reports: Annotated[
        Path | None,
        typer.Option("--reports", metavar="DIR", help="Folder of `opforge check --json` reports."),
    ] = None,
    home: Annotated[
        str,
        typer.Option(
            "--home", metavar="URL", help="URL of the documentation that the page links to."
        ),
    ] = "",
) -> None:
    """Write a static page with search, and index.json; no plugin code runs.

    The page needs no server. With OPFORGE_CATALOGUE=OUT/index.json, errors about missing operators
    name the package that provides them.
    """
    from ..reference.badges import read_badges
    from ..reference.catalogue import build_catalogue
    from ..reference.wheels import installed_packages, wheel_packages

    for folder in (wheels, reports):
        if folder is not None and not folder.is_dir():
            fail(f"{folder} is not a folder")
    source = nullcontext(installed_packages()) if wheels is None else wheel_packages(wheels)
    badges = read_badges(reports) if reports else {}
    try:
        with source as packages:
            cards = build_catalogue(out, packages, badges, home)
    except (OpforgeError, OSError) as error:
        fail(str(error))
    for package in packages:
        if package.problem:
            typer.echo(visible(f"not read: {package.problem}"), err=True)
    counts = f"{len(cards)} contributions of {len(packages)} packages"
    typer.echo(f"{out / 'index.html'}: {counts}")
