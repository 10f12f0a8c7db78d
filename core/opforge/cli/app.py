"""The commands of ``opforge``; each prints a table, or JSON with ``--json``.

A command's module is imported when the command is run: listing operators needs nothing of what
measures them, and the general help and completion need none of them. Commands of plugins are found
in metadata, and their lines of help are read from source text.
"""

import os
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..base.errors import OperatorNotFoundError, OpforgeError, PluginError
from ..base.spelling import close_names
from ..base.text_lines import visible
from ..base.version import VERSION
from ..plugin.commands import (
    CORE_COMMANDS,
    PluginCommand,
    decide_command,
    find_command,
    load_command,
    plugin_commands,
)

__all__ = ["app"]

_NEXT_STEPS = """Begin with:

- `opforge ops`: what there is, by plugin; `opforge ops show softmax` explains one

- `opforge new my-operators`: an operator of your own, with its tests and packaging

- `opforge doctor`: what is wrong with plugins and settings
"""


class _Commands(TyperGroup):
    """Commands of the core and of plugins, found by name."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options that stand before a command."""
        return _simplified(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names in the order of the help: the core's, then by distribution."""
        return [*CORE_COMMANDS, *_plugin_commands()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what help and completion show of a command; None if it does not exist."""
        line = CORE_COMMANDS.get(cmd_name)
        if line is not None:
            return TyperCommand(cmd_name, help=line)
        found = _plugin_commands().get(cmd_name)
        return _shown(cmd_name, found) if found else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that was typed; name similar ones if it does not exist."""
        name = str(args[0])
        if name in CORE_COMMANDS:
            return name, _imported(ctx, name), args[1:]
        if name.startswith("-"):
            return super().resolve_command(ctx, args)
        try:
            command = find_command(name)
            if command is not None:
                return name, _of_plugin(ctx, command), args[1:]
        except OpforgeError:
            # A shell that completes words has no place for an error; running the command shows it.
            if not ctx.resilient_parsing:
                raise
        if not ctx.resilient_parsing:
            _raise_if_known(name)
            ctx.fail(f"No such command {name!r}.{self._meant(ctx, name)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run what was typed; opforge's own errors end it with what they say, without a traceback.

        Settings that cannot be read, for instance, are found by whatever asks for plugins first.
        """
        try:
            return super().invoke(ctx)
        except OpforgeError as error:
            from .printing.console import fail

            fail(str(error))

    def _meant(self, ctx: Any, name: str) -> str:
        """Return a sentence with the commands, also of groups, whose last word is like `name`."""
        paths = [(word, word) for word in self.list_commands(ctx)]
        for group in CORE_COMMANDS:  # groups of plugins would have to be imported
            inner = getattr(_imported(ctx, group), "commands", {})
            paths += [(word, f"{group} {word}") for word in inner]
        close = close_names(name, dict(paths))
        lines = [f"opforge {path}" for word in close for last, path in paths if last == word]
        return f" Did you mean {' or '.join(lines)}?" if lines else ""


def _imported(ctx: Any, name: str) -> Any:
    """Return a command of the core."""
    found = getattr(import_module(f"{__package__}.commands.{name}"), name)
    return _command(ctx, name, found)


def _of_plugin(ctx: Any, command: PluginCommand) -> Any:
    """Import a command of a plugin.

    Raises
    ------
    PluginError
        It cannot be imported, or typer cannot make a command of it.
    """
    found = load_command(command)
    try:
        return _command(ctx, command.name, found)
    # Typer raises AssertionError, RuntimeError and others for parameters that it does not support.
    except Exception as error:
        raise PluginError(
            f"{command.title}: typer cannot make a command of {command.value}: "
            f"{type(error).__name__}: {error}"
        ) from error


def _command(ctx: Any, name: str, found: Any) -> Any:
    """Return the command that a function or a Typer stands for."""
    alone = found if isinstance(found, typer.Typer) else typer.Typer(add_completion=False)
    if alone is not found:
        alone.command(name)(found)
    command: Any = typer.main.get_command(_without_completion(alone))
    command.name = name
    for each in (command, *getattr(command, "commands", {}).values()):
        _simplified([*each.params, each.get_help_option(ctx)])
    return command


def _without_completion(given: typer.Typer) -> typer.Typer:
    """Return an app with the same commands that has no options to install shell completion."""
    made = typer.Typer(add_completion=False)
    kept = "info", "registered_callback", "registered_groups", "registered_commands"
    for name in (*kept, "rich_markup_mode", "pretty_exceptions_short"):
        setattr(made, name, getattr(given, name))
    return made


def _plugin_commands() -> dict[str, list[PluginCommand]]:
    """Return the plugins' commands by name; none if the settings cannot be read, and say so."""
    found: dict[str, list[PluginCommand]] = {}
    try:
        for command in plugin_commands():
            found.setdefault(command.name, []).append(command)
    except OpforgeError as error:
        typer.echo(f"commands of plugins are left out: {visible(str(error))}", err=True)
    return found


def _raise_if_known(name: str) -> None:
    """Raise an error with the line that installs a command of a first-party distribution."""
    # Here: only the error needs the table.
    from ..op.registry.catalogue import FIRST_PARTY
    from ..op.registry.missing import offer

    distribution = FIRST_PARTY["command"].get(name)
    if distribution is not None:
        raise OperatorNotFoundError(
            f"no installed plugin provides the command {name!r}\n{offer(distribution)}"
        )


def _shown(name: str, found: list[PluginCommand]) -> TyperCommand:
    """Return what help shows of a command that one plugin or several have."""
    decision = decide_command(name)
    chosen = [command for command in found if command.provider.name == decision.provider]
    if chosen:
        line, panel = chosen[0].help_line(), decision.provider
    else:
        panel = ", ".join(command.provider.name for command in found)
        line = f"Choose which plugin provides it: opforge plugins pin {name} DISTRIBUTION"
    return TyperCommand(name, help=visible(line), rich_help_panel=panel)


class _AsGiven:
    """Converter of an option's value that returns the text unchanged."""

    def coerce(self, value: Any, *_: Any, **__: Any) -> Any:
        return value


def _simplified(params: list[Any]) -> list[Any]:
    """Let help show flags without the type of what they are given, which is nothing.

    Where there is nothing to convert, typer from 0.29 on is told so, which would import pydantic
    to find it out and take as long for it as for all that `opforge ops` reads; one that never asks
    does without what it is told.
    """
    for param in params:
        is_flag = getattr(param, "is_flag", False)
        if is_flag:
            param.metavar = ""
        descriptor = getattr(param, "type_descriptor", None)
        is_text = getattr(descriptor, "annotation", None) is str
        if is_flag or (is_text and param.nargs == 1 and not param.multiple):
            param.get_runtime_param = _AsGiven
    return params


def _choose_plugins(names: str | None) -> None:
    if names is not None:
        # Before anything looks for plugins, and for the processes that try them too.
        os.environ["OPFORGE_PLUGINS"] = names


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
    _plugins: Annotated[
        str | None,
        typer.Option(
            "--plugins",
            metavar="NAMES",
            is_eager=True,  # plugins bring commands
            callback=_choose_plugins,
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
