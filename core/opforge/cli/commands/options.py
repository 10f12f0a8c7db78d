"""Options and arguments shared by several commands."""

from typing import Annotated

import typer

from .completion import complete_contribution

__all__ = ["Json", "Name", "Timeout"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[
    str,
    typer.Argument(
        help="Name of a contribution, or distribution::name@version.",
        autocompletion=complete_contribution,
    ),
]
Timeout = Annotated[
    float,
    typer.Option(help="Seconds that one plugin may take to load.", min=0.1, metavar="SECONDS"),
]
