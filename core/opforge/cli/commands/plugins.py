"""``opforge plugins``: installed plugins, their settings, and the effect of installing others.

These commands import no plugin; `--check` loads them in another process.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ...base.errors import PluginError
from ...op.registry.entry import CORE
from ...op.registry.naming import normalize
from ..inspection import plugin_rows
from ..printing import plugin_tables
from ..printing.console import print_json
from .completion import complete_contribution, complete_plugin
from .options import Json

__all__ = ["plugins"]

Check = Annotated[
    bool,
    typer.Option(
        "--check",
        help="Load the plugins in another process and show failures; exit status 1 if any fails.",
    ),
]
Plugin = Annotated[
    str,
    typer.Argument(
        help="Distribution, or the name of its entry point.", autocompletion=complete_plugin
    ),
]
Operator = Annotated[
    str,
    typer.Argument(
        help="Name of a contribution, such as an operator or layer.",
        autocompletion=complete_contribution,
    ),
]
Wheels = Annotated[
    list[str], typer.Argument(help="Wheel files, or requirements for which pip finds wheels.")
]
Some = Annotated[
    str | None,
    typer.Argument(help="Distribution. Default: all plugins.", autocompletion=complete_plugin),
]

plugins = typer.Typer(
    help="List, configure and check plugins without importing them.", invoke_without_command=True
)


@plugins.callback()
def main(context: typer.Context, as_json: Json = False, check: Check = False) -> None:
    """List installed plugins: their contributions, state and problems."""
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
    """Show a plugin: its contributions, requirements, files and the digest of its RECORD."""
    row = plugin_rows.plugin_details(name, check)
    print_json(row) if as_json else plugin_tables.print_plugin(row)
    if row["state"] == "failed":
        raise typer.Exit(1)


@plugins.command("why")
def why_plugin(name: Plugin, as_json: Json = False) -> None:
    """Explain whether a plugin may load, or which provider a name resolves to."""
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
        "text": f"{state.provider.name} is {state.reason or 'enabled; it loads on first use'}",
        "remedy": state.remedy,
    }
    if as_json:
        print_json(row)
    else:
        typer.echo(row["text"] + (f"\n    {row['remedy']}" if row["remedy"] else ""))


@plugins.command("disable")
def disable_plugin(name: Plugin, as_json: Json = False) -> None:
    """Disable a plugin: it is no longer imported."""
    from ...plugin.settings_file import disable

    distribution = _distribution(name)
    _change(as_json, lambda: disable(distribution), f"{distribution} is disabled")


@plugins.command("enable")
def enable_plugin(name: Plugin, as_json: Json = False) -> None:
    """Enable a disabled plugin."""
    from ...plugin.settings_file import enable

    distribution = _distribution(name)
    _change(as_json, lambda: enable(distribution), f"{distribution} is no longer disabled")


@plugins.command("allow")
def allow_plugin(
    name: Plugin,
    exactly: Annotated[
        bool, typer.Option("--exactly", help="Allow only its current contents.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Add a plugin to the allowlist, which applies if the settings have mode = "allowlist"."""
    from ...plugin.settings_file import allow

    distribution = _distribution(name)
    digest = ""
    if exactly:
        (row,) = plugin_rows.verify_rows(distribution)
        if row["state"] != "unchanged":
            raise PluginError(
                f"{distribution} is {row['state']}; --exactly needs unchanged files and a RECORD"
            )
        digest = row["record"]
    _change(as_json, lambda: allow(distribution, digest), f"{distribution} is allowed")


@plugins.command("pin")
def pin_name(name: Operator, plugin: Plugin, as_json: Json = False) -> None:
    """Pin a name to one of its providers."""
    from ...plugin.settings_file import pin

    distribution = CORE if normalize(plugin) == CORE else _distribution(plugin)
    _change(as_json, lambda: pin(name, distribution), f"{name} is pinned to {distribution}")


@plugins.command("unpin")
def unpin_name(name: Operator, as_json: Json = False) -> None:
    """Remove the pin of a name."""
    from ...plugin.settings_file import unpin

    _change(as_json, lambda: unpin(name), f"{name} is no longer pinned")


@plugins.command("plan")
def plan(wheels: Wheels, as_json: Json = False) -> None:
    """Show what installing wheels would change, from their metadata, without running code."""
    from ..inspection.plan import plan_wheels

    found = plan_wheels(wheels)
    print_json(found) if as_json else plugin_tables.print_plan(found)


@plugins.command("verify")
def verify(name: Some = None, as_json: Json = False) -> None:
    """Compare installed files with RECORD; exit status 1 if any was changed."""
    found = plugin_rows.verify_rows(name)
    print_json(found) if as_json else plugin_tables.print_verified(found)
    if any(row["state"] == "changed" for row in found):
        raise typer.Exit(1)


def _distribution(name: str) -> str:
    """Return the distribution of a plugin; works with invalid settings, too."""
    return plugin_rows.find_provider(name).name


def _change(as_json: bool, change: Callable[[], Path], done: str) -> None:
    path = change()
    if as_json:
        print_json({"done": done, "settings": str(path)})
    else:
        typer.echo(f"{done} in {path}")
