"""Options and arguments shared by several commands."""

from typing import Annotated

import typer

from .completion import complete_contribution

__all__ = ["Json", "Name"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[
    str,
    typer.Argument(
        help="Name of a contribution, or distribution::name@version.",
        autocompletion=complete_contribution,
    ),
]
