"""Options that several commands have."""

from typing import Annotated

import typer

from .completion import complete_thing

__all__ = ["Json", "Name"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[
    str,
    typer.Argument(
        help="Operator or layer, or distribution::name@version.", autocompletion=complete_thing
    ),
]
