"""``opforge ops``: installed and known contributions; listing imports no plugin."""

from typing import Annotated, Any

import typer

from ...base.errors import OpforgeError
from ...op.registry.entry import CORE
from ...op.registry.naming import normalize, registered_name, split_full_name
from ..printing import tables
from ..printing.console import (
    NO_PLUGIN,
    fail,
    open_console,
    paged,
    print_json,
    print_plain,
    print_whole,
)
from ..reference import listing, searching
from .options import Json, Name

__all__ = ["ops", "print_reasons"]

Hidden = Annotated[bool, typer.Option("--all", help="Include names that begin with an underscore.")]
Check = Annotated[
    bool,
    typer.Option("--check", help="Load the plugin in another process and measure the operator."),
]
Words = Annotated[list[str], typer.Argument(help="Words of a name, kind or description.")]

ops = typer.Typer(
    help="List and explain operators, layers, optimizers and all other contributions.",
    invoke_without_command=True,
)


@ops.callback()
def main(context: typer.Context, as_json: Json = False, hidden: Hidden = False) -> None:
    """List all contributions: inputs, outputs, provider, version and a one-line description.

    On a terminal, print only the number of contributions of each kind per plugin; `opforge ops
    list` lists all of them.
    """
    if context.invoked_subcommand is not None:
        return
    if as_json or hidden or not open_console().is_terminal:
        list_operators(as_json, hidden)
    else:
        tables.print_groups(listing.contribution_names())


@ops.command("list")
def list_operators(as_json: Json = False, hidden: Hidden = False) -> None:
    """List all contributions, as `opforge ops` does if its output is not a terminal."""
    found = listing.contribution_rows(hidden)
    if as_json:
        print_json(found)
        return
    with paged():
        tables.print_contributions(found)
    if all(row["plugin"] == CORE for row in found):
        typer.echo(NO_PLUGIN)


@ops.command("show")
def show_operator(name: Name, as_json: Json = False, check: Check = False) -> None:
    """Show a contribution in full: inputs, attributes, provider and file.

    Functions of modules that plugins provide are found by their path, such as np.linalg.svd.
    """
    from ..reference.rows import import_core

    import_core()
    name = registered_name(name)
    found = _operator_details(name) or _function_details(name) or _load_details(name)
    if check:
        _add_figures(found)
    if as_json:
        print_json(found[0] if len(found) == 1 else found)
    else:
        tables.print_details(found)


@ops.command("why")
def why_operator(name: Name, as_json: Json = False) -> None:
    """Explain which provider a name resolves to, and why."""
    print_reasons(name, as_json)


@ops.command("search")
def search_operators(words: Words, as_json: Json = False) -> None:
    """Find contributions by words of their name, kind or description; exit status 1 if none.

    Names of PyTorch and Keras are found with the code to write instead.
    """
    found = searching.search(words)
    with paged():
        print_json(found) if as_json else tables.print_matches(found)
    if not found:
        fail(searching.not_found_text(" ".join(words)))


def print_reasons(name: str, as_json: bool) -> None:
    """Print how a name is resolved; exit status 1 if it has no provider."""
    # Imported here, because listing needs neither.
    from ..inspection.explanation import explain_name
    from ..reference.rows import import_core

    import_core()
    found = explain_name(registered_name(name))
    if as_json:
        print_json(found)
    else:
        console = open_console()
        for row in found:
            print_plain(console, row["text"])
            if row["remedy"]:
                print_whole(f"    {row['remedy']}")
    if all(row["remedy"] for row in found):
        raise typer.Exit(1)


def _add_figures(found: list[dict[str, Any]]) -> None:
    from ..inspection.trial import try_plugins

    waiting = sorted({row["plugin"] for row in found if row["state"] == "not loaded"})
    for name, tried in try_plugins(waiting, operator=found[0]["name"]).items():
        for row in found:
            if row["plugin"] == name:
                row["state"], row["error"] = tried["state"], tried["error"]
                row["figures"] = {
                    "time to load": f"{tried['seconds'] * 1000:.1f} ms",
                    **tried["figures"],
                }


def _operator_details(name: str) -> list[dict[str, Any]]:
    """Return the details of a short or full name, without loading a plugin."""
    from ..reference import rows

    provider, short, version = split_full_name(name)
    return [
        rows.details(row)
        for row in rows.candidates(short, with_source=True)
        if (provider is None or normalize(provider) == normalize(row["plugin"]))
        and version in (None, row["operator_version"])
    ]


def _function_details(name: str) -> list[dict[str, Any]]:
    """Return the details of a function of a plugin's module."""
    from ..reference import rows

    try:
        return [rows.details(row) for row in rows.functions_of_modules(name)]
    except ImportError as error:
        fail(str(error))


def _load_details(name: str) -> list[dict[str, Any]]:
    """Return the details of a name after loading its plugin; end the program if not found.

    Metadata names only the newest version of an operator, so ``softmax@1`` may need this.
    """
    problem = _load_provider(name)
    return _operator_details(name) or fail(problem or searching.not_found_text(name))


def _load_provider(name: str) -> str:
    """Load the plugin that provides an operator; return why this fails, or nothing."""
    from ...op.registry import registry

    try:
        registry.OPERATORS.find(name)
    except OpforgeError as error:
        return str(error)
    return ""
