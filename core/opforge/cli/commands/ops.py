"""``opforge ops``: things of every kind, installed or known; listing imports no plugin."""

from typing import Annotated, Any

import typer

from ...base.errors import OpforgeError
from ...op.registry.entry import CORE
from ...op.registry.naming import normalise, registered_name, split_full_name
from ...reference import listing
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
from .options import Json, Name

__all__ = ["ops", "print_reasons"]

Hidden = Annotated[
    bool, typer.Option("--all", help="List names that begin with an underscore as well.")
]
Check = Annotated[
    bool, typer.Option("--check", help="Load the plugin, in another process, and measure it.")
]
Words = Annotated[list[str], typer.Argument(help="Words of a name or of a description.")]

ops = typer.Typer(
    help="List and explain operators, layers, optimizers and every other kind of thing.",
    invoke_without_command=True,
)


@ops.callback()
def main(context: typer.Context, as_json: Json = False, hidden: Hidden = False) -> None:
    """List things of every kind: inputs, outputs, provider, version and one line on each.

    On a terminal it shows how many things of each kind every plugin brings; `opforge ops list`
    shows all of them.
    """
    if context.invoked_subcommand is not None:
        return
    if as_json or hidden or not open_console().is_terminal:
        list_operators(as_json, hidden)
    else:
        tables.print_groups(listing.thing_names())


@ops.command("list")
def list_operators(as_json: Json = False, hidden: Hidden = False) -> None:
    """List things of every kind, as `opforge ops` does where its output is not a terminal."""
    found = listing.thing_rows(hidden)
    if as_json:
        print_json(found)
        return
    with paged():
        tables.print_things(found)
    if all(row["plugin"] == CORE for row in found):
        typer.echo(NO_PLUGIN)


@ops.command("show")
def show_operator(name: Name, as_json: Json = False, check: Check = False) -> None:
    """Show one declaration in full: inputs, attributes, provider and file."""
    from ...reference.rows import import_core

    import_core()
    name = registered_name(name)
    found = _described(name) or _loaded(name)
    if check:
        _add_figures(found)
    if as_json:
        print_json(found[0] if len(found) == 1 else found)
    else:
        tables.print_details(found)


@ops.command("why")
def why_operator(name: Name, as_json: Json = False) -> None:
    """Explain which provider a name means: a pin, opforge itself, the only one, or none."""
    print_reasons(name, as_json)


@ops.command("search")
def search_operators(words: Words, as_json: Json = False) -> None:
    """Find things by words of their name, kind or description; exit status 1 if none."""
    found = listing.search(words)
    with paged():
        print_json(found) if as_json else tables.print_things(found)
    if not found:
        fail(_not_found(words[0]))


def print_reasons(name: str, as_json: bool) -> None:
    """Print how a name is settled; exit status 1 if nobody provides it."""
    # Here: listing needs neither.
    from ...inspection.explanation import explain_name
    from ...reference.rows import import_core

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
    from ...inspection.trial import try_plugins

    waiting = sorted({row["plugin"] for row in found if row["state"] == "not loaded"})
    for name, tried in try_plugins(waiting, operator=found[0]["name"]).items():
        for row in found:
            if row["plugin"] == name:
                row["state"], row["error"] = tried["state"], tried["error"]
                row["figures"] = {
                    "time to load": f"{tried['seconds'] * 1000:.1f} ms",
                    **tried["figures"],
                }


def _described(name: str) -> list[dict[str, Any]]:
    """Return what is known of a name, which may be a full one, without loading a plugin."""
    from ...reference import rows

    provider, short, version = split_full_name(name)
    return [
        rows.details(row)
        for row in rows.candidates(short, with_source=True)
        if (provider is None or normalise(provider) == normalise(row["plugin"]))
        and version in (None, row["operator_version"])
    ]


def _loaded(name: str) -> list[dict[str, Any]]:
    """Return what is known of a name once its plugin is loaded, or end the program.

    Metadata has the newest version of an operator alone, so that ``softmax@1`` may come of it.
    """
    text = _not_found(name)
    return _described(name) or fail(text)


def _not_found(name: str) -> str:
    """Return the text of the error that ``nd.<name>`` would raise."""
    from ...op.registry import registry
    from ...reference.rows import import_core

    import_core()
    try:
        registry.OPERATORS.lookup(name)
    except OpforgeError as error:
        return str(error)
    return f"nothing of the name {name!r}"
