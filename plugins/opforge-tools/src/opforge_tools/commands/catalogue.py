"""``opforge catalogue build``: a static, searchable page of what plugins bring."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from opforge.base.errors import OpforgeError
from opforge.base.text_lines import visible
from opforge.cli.printing.console import fail

__all__ = ["catalogue"]

catalogue = typer.Typer(help="Make a web page of what plugins bring.", no_args_is_help=True)


@catalogue.callback()
def _group() -> None:
    """Make a web page of what plugins bring."""


@catalogue.command("build")
def build(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of the page.")],
    wheels: Annotated[
        Path | None,
        typer.Argument(metavar="[WHEELS_DIR]", help="Folder of wheels; else what is installed."),
    ] = None,
    reports: Annotated[
        Path | None,
        typer.Option("--reports", metavar="DIR", help="Folder of `opforge check --json` reports."),
    ] = None,
) -> None:
    """Write a static page with a search and index.json; no code of a plugin runs.

    The page needs no server. OPFORGE_CATALOGUE=OUT/index.json lets errors about missing operators
    name the package that has them.
    """
    from ..reference.badges import read_badges
    from ..reference.catalogue import build_catalogue
    from ..reference.wheels import installed_packages, wheel_packages

    for folder in (wheels, reports):
        if folder is not None and not folder.is_dir():
            fail(f"{folder} is no folder")
    source = nullcontext(installed_packages()) if wheels is None else wheel_packages(wheels)
    badges = read_badges(reports) if reports else {}
    try:
        with source as packages:
            cards = build_catalogue(out, packages, badges)
    except (OpforgeError, OSError) as error:
        fail(str(error))
    for package in packages:
        if package.problem:
            typer.echo(visible(f"not read: {package.problem}"), err=True)
    counts = f"{len(cards)} things of {len(packages)} packages"
    typer.echo(f"{out / 'index.html'}: {counts}")
