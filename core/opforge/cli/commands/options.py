"""Options that several commands have."""

from typing import Annotated

import typer

__all__ = ["Json", "Name"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="Operator or layer, or distribution::name@version.")]
