"""``opforge plugins``: what is installed, what may load, and what would change.

None of these commands imports a plugin; `--check` loads them in another process.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ...base.errors import PluginError
from ...inspection import plugin_rows
from ...op.registry.entry import CORE
from ...op.registry.naming import normalise
from ..printing import plugin_tables
from ..printing.console import print_json
from .completion import complete_plugin, complete_thing
from .options import Json

__all__ = ["plugins"]

Check = Annotated[
    bool,
    typer.Option(
        "--check",
        help="Load each one, in another process, and show what fails; exit status 1 if one does.",
    ),
]
Plugin = Annotated[
    str,
    typer.Argument(
        help="A distribution, or the name of its entry point.", autocompletion=complete_plugin
    ),
]
Operator = Annotated[
    str,
    typer.Argument(help="An operator, a layer or another thing.", autocompletion=complete_thing),
]
Wheels = Annotated[list[str], typer.Argument(help="Wheels, or names that pip finds wheels of.")]
Some = Annotated[
    str | None,
    typer.Argument(
        help="A distribution; without one, all plugins.", autocompletion=complete_plugin
    ),
]

plugins = typer.Typer(
    help="List, choose and check plugins; no command imports one.", invoke_without_command=True
)


@plugins.callback()
def main(context: typer.Context, as_json: Json = False, check: Check = False) -> None:
    """List installed plugins: what they provide, their state and what is wrong with them."""
    if context.invoked_subcommand is None:
        list_plugins(as_json, check)


@plugins.command("list")
def list_plugins(as_json: Json = False, check: Check = False) -> None:
    """List installed plugins, as `opforge plugins` does."""
    found = plugin_rows.plugin_rows(check)
    print_json(found) if as_json else plugin_tables.print_plugins(found, check)
    if check and any(row["state"] == "failed" for row in found):
        raise typer.Exit(1)


@plugins.command("show")
def show_plugin(name: Plugin, as_json: Json = False, check: Check = False) -> None:
    """Show one plugin: what it provides and requires, its files, the digest of its RECORD."""
    row = plugin_rows.plugin_details(name, check)
    print_json(row) if as_json else plugin_tables.print_plugin(row)
    if row["state"] == "failed":
        raise typer.Exit(1)


@plugins.command("why")
def why_plugin(name: Plugin, as_json: Json = False) -> None:
    """Explain whether a plugin may load, or which provider a name means."""
    from .ops import print_reasons

    try:
        state = plugin_rows.find_installed(name)
    except PluginError:
        state = None
    if state is None:
        print_reasons(name, as_json)
        return
    row = {
        "plugin": state.provider.name,
        "state": state.state,
        "text": f"{state.provider.name} is {state.refusal or 'enabled; it loads when it is used'}",
        "remedy": state.remedy,
    }
    if as_json:
        print_json(row)
    else:
        typer.echo(row["text"] + (f"\n    {row['remedy']}" if row["remedy"] else ""))


@plugins.command("disable")
def disable_plugin(name: Plugin, as_json: Json = False) -> None:
    """Leave a plugin out from now on; nothing of it is imported any more."""
    from ...plugin.settings_file import disable

    distribution = _distribution(name)
    _change(as_json, lambda: disable(distribution), f"{distribution} is disabled")


@plugins.command("enable")
def enable_plugin(name: Plugin, as_json: Json = False) -> None:
    """Let a plugin load again that was disabled."""
    from ...plugin.settings_file import enable

    distribution = _distribution(name)
    _change(as_json, lambda: enable(distribution), f"{distribution} is no longer disabled")


@plugins.command("allow")
def allow_plugin(
    name: Plugin,
    exactly: Annotated[
        bool, typer.Option("--exactly", help="Only with the contents that it has now.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Add a plugin to those that are allowed where the settings say mode = "allowlist"."""
    from ...plugin.settings_file import allow

    distribution = _distribution(name)
    digest = ""
    if exactly:
        (row,) = plugin_rows.verify_rows(distribution)
        if row["state"] != "unchanged":
            raise PluginError(f"{distribution} is {row['state']}: its contents cannot be fixed")
        digest = row["record"]
    _change(as_json, lambda: allow(distribution, digest), f"{distribution} is allowed")


@plugins.command("pin")
def pin_name(name: Operator, plugin: Plugin, as_json: Json = False) -> None:
    """Let one plugin provide a name that several have, or that the primitive set has."""
    from ...plugin.settings_file import pin

    distribution = CORE if normalise(plugin) == CORE else _distribution(plugin)
    _change(as_json, lambda: pin(name, distribution), f"{name} is pinned to {distribution}")


@plugins.command("unpin")
def unpin_name(name: Operator, as_json: Json = False) -> None:
    """Remove the pin of a name."""
    from ...plugin.settings_file import unpin

    _change(as_json, lambda: unpin(name), f"{name} is no longer pinned")


@plugins.command("plan")
def plan(wheels: Wheels, as_json: Json = False) -> None:
    """Tell what installing wheels would change, from their metadata; nothing of them runs."""
    from ...inspection.plan import plan_wheels

    found = plan_wheels(wheels)
    print_json(found) if as_json else plugin_tables.print_plan(found)


@plugins.command("verify")
def verify(name: Some = None, as_json: Json = False) -> None:
    """Compare installed files with RECORD; exit status 1 if one was changed since."""
    found = plugin_rows.verify_rows(name)
    print_json(found) if as_json else plugin_tables.print_verified(found)
    if any(row["state"] == "changed" for row in found):
        raise typer.Exit(1)


def _distribution(name: str) -> str:
    """Return the installed distribution that is meant; settings may not be readable yet."""
    return plugin_rows.find_provider(name).name


def _change(as_json: bool, change: Callable[[], Path], done: str) -> None:
    path = change()
    if as_json:
        print_json({"done": done, "settings": str(path)})
    else:
        typer.echo(f"{done}, in {path}")
