"""The commands of ``opforge``; each prints a table, or JSON with ``--json``.

A command's module is imported when the command is run: listing operators needs nothing of what
measures them. The general help needs all of them.
"""

import os
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..base.spelling import close_names
from ..base.version import VERSION

__all__ = ["app"]

#: In the order of the help; each is what the module of its name in this package has under its name.
_COMMANDS = (
    "ops",
    "plugins",
    "doctor",
    "check",
    "model",
    "stubs",
    "docs",
    "new",
    "catalogue",
    "bench",
    "profile",
)
#: Commands whose arguments end their own options: those that follow are a program's.
_RUN_PROGRAMS = {"profile"}


_NEXT_STEPS = """Begin with:

- `opforge ops`: what there is, by plugin; `opforge ops show softmax` explains one

- `opforge new my-operators`: an operator of your own, with its tests and packaging

- `opforge doctor`: what is wrong with plugins and settings
"""


class _Commands(TyperGroup):
    """Commands that are found by name."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options that stand before a command."""
        return _without_types(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; None if there is no such one."""
        if cmd_name not in _COMMANDS:
            return None
        found = getattr(import_module(f"{__package__}.commands.{cmd_name}"), cmd_name)
        if isinstance(found, typer.Typer):
            command: Any = typer.main.get_group(found)
        else:
            alone = typer.Typer(add_completion=False)
            settings = {"allow_interspersed_args": cmd_name not in _RUN_PROGRAMS}
            alone.command(cmd_name, context_settings=settings)(found)
            command = typer.main.get_command(alone)
        command.name = cmd_name
        for each in (command, *getattr(command, "commands", {}).values()):
            _without_types([*each.params, each.get_help_option(ctx)])
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed; where there is none, say which may be meant."""
        name = str(args[0])
        known = name.startswith("-") or self.get_command(ctx, name) is not None
        if not known and not ctx.resilient_parsing:
            ctx.fail(f"No such command {name!r}.{self._meant(ctx, name)}")
        return super().resolve_command(ctx, args)

    def _meant(self, ctx: Any, name: str) -> str:
        """Return a sentence with the commands, also of groups, whose last word is like `name`."""
        paths = [(word, word) for word in _COMMANDS]
        for group in _COMMANDS:
            inner = getattr(self.get_command(ctx, group), "commands", {})
            paths += [(word, f"{group} {word}") for word in inner]
        close = close_names(name, dict(paths))
        lines = [f"opforge {path}" for word in close for last, path in paths if last == word]
        return f" Did you mean {' or '.join(lines)}?" if lines else ""


def _without_types(params: list[Any]) -> list[Any]:
    """Let help show flags without the type of what they are given, which is nothing."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"opforge {VERSION}")
        raise typer.Exit


app = typer.Typer(
    name="opforge",
    cls=_Commands,
    help="Operators, plugins and speed of opforge. Listing imports no plugin.",
    epilog=_NEXT_STEPS,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


@app.callback()
def _main(
    plugins: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Plugins that may load, as OPFORGE_PLUGINS says it: none, or a,b, or -c.",
        ),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
) -> None:
    """Operators, plugins and speed of opforge. Listing imports no plugin."""
    if plugins is not None:
        # Before anything looks for plugins, and for the processes that try them too.
        os.environ["OPFORGE_PLUGINS"] = plugins
