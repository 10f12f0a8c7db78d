"""The commands of ``opforge``; each prints a table, or JSON with ``--json``."""

from typing import Annotated

import typer

from ..base.errors import OpforgeError
from ..op import registry
from ..op.naming import normalise, split_full_name
from . import rows, tables
from .bench import bench
from .console import fail, print_json
from .model import model
from .new import new

__all__ = ["app"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Hidden = Annotated[
    bool, typer.Option("--all", help="List names that begin with an underscore as well.")
]
Check = Annotated[
    bool,
    typer.Option(
        "--check", help="Load each plugin and show what fails; exit status 1 if one does."
    ),
]
Name = Annotated[str, typer.Argument(help="Operator or layer, or distribution::name.")]

app = typer.Typer(
    name="opforge",
    help="Operators, plugins and speed of opforge. Listing imports no plugin.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
ops = typer.Typer(help="List operators and layers.", invoke_without_command=True)
app.add_typer(ops, name="ops")
app.add_typer(bench, name="bench")
app.add_typer(model, name="model")
app.command("new")(new)


@ops.callback()
def list_operators(context: typer.Context, as_json: Json = False, hidden: Hidden = False) -> None:
    """List operators and layers: inputs, outputs, provider, version and one line on each."""
    if context.invoked_subcommand is None:
        found = rows.operator_rows(hidden)
        print_json(found) if as_json else tables.print_operators(found)


@ops.command("show")
def show_operator(name: Name, as_json: Json = False) -> None:
    """Show one declaration in full: inputs, attributes, provider and file."""
    wanted, short, _ = split_full_name(name)
    rows.import_core()
    found = [
        rows.details(row)
        for row in rows.candidates(short, with_source=True)
        if wanted is None or normalise(wanted) == normalise(row["plugin"])
    ]
    if not found:
        fail(_not_found(name))
    if as_json:
        print_json(found[0] if len(found) == 1 else found)
    else:
        tables.print_details(found)


@app.command("plugins")
def list_plugins(as_json: Json = False, check: Check = False) -> None:
    """List installed plugins: what they provide, their state and what is wrong with them."""
    found = rows.plugin_rows(check)
    print_json(found) if as_json else tables.print_plugins(found, check)
    if check and any(row["state"] == "failed" for row in found):
        raise typer.Exit(1)


def _not_found(name: str) -> str:
    """Return the text of the error that ``nd.<name>`` would raise."""
    try:
        registry.OPERATORS.lookup(name)
    except OpforgeError as error:
        return str(error)
    return f"no operator or layer {name!r}"
