"""Commands of ``opforge``; each prints a table, or JSON with ``--json``.

The module of a command is imported only to run it; general help and completion import none.
Commands of plugins are found in metadata, and their help lines are read from source text.
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

_NEXT_STEPS = """Get started:

- `opforge ops`: list operators and layers by plugin; `opforge ops show softmax` explains one

- `opforge new my-operators`: create a plugin project with an operator, tests and packaging

- `opforge doctor`: diagnose problems with plugins and settings
"""


class _Commands(TyperGroup):
    """Commands of the core and of plugins, found by name."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options that precede a command."""
        return _simplify_help(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the command names in display order: the core's, then by distribution."""
        return [*CORE_COMMANDS, *_plugin_commands()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command for help and completion; None if it does not exist."""
        line = CORE_COMMANDS.get(cmd_name)
        if line is not None:
            return TyperCommand(cmd_name, help=line)
        found = _plugin_commands().get(cmd_name)
        return _help_entry(cmd_name, found) if found else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command to run; suggest similar ones if it does not exist."""
        name = str(args[0])
        if name in CORE_COMMANDS:
            return name, _import_command(ctx, name), args[1:]
        if name.startswith("-"):
            return super().resolve_command(ctx, args)
        try:
            command = find_command(name)
            if command is not None:
                return name, _of_plugin(ctx, command), args[1:]
        except OpforgeError:
            # Shell completion cannot show an error; running the command does.
            if not ctx.resilient_parsing:
                raise
        if not ctx.resilient_parsing:
            _raise_if_known(name)
            ctx.fail(f"No such command {name!r}.{self._suggestion(ctx, name)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; print opforge's own errors without a traceback.

        Invalid settings, for instance, raise an error wherever plugins are first needed.
        """
        try:
            return super().invoke(ctx)
        except OpforgeError as error:
            from .printing.console import fail

            fail(str(error))

    def _suggestion(self, ctx: Any, name: str) -> str:
        """Return a sentence that names similar commands, including those in groups."""
        paths = [(word, word) for word in self.list_commands(ctx)]
        for group in CORE_COMMANDS:  # groups of plugins would need an import
            inner = getattr(_import_command(ctx, group), "commands", {})
            paths += [(word, f"{group} {word}") for word in inner]
        close = close_names(name, dict(paths))
        lines = [f"opforge {path}" for word in close for last, path in paths if last == word]
        return f" Did you mean {' or '.join(lines)}?" if lines else ""


def _import_command(ctx: Any, name: str) -> Any:
    """Import a command of the core."""
    found = getattr(import_module(f"{__package__}.commands.{name}"), name)
    return _command(ctx, name, found)


def _of_plugin(ctx: Any, command: PluginCommand) -> Any:
    """Import a command of a plugin.

    Raises
    ------
    PluginError
        It cannot be imported, or typer cannot create a command from it.
    """
    found = load_command(command)
    try:
        return _command(ctx, command.name, found)
    # Typer raises AssertionError, RuntimeError and others for parameters that it does not support.
    except Exception as error:
        raise PluginError(
            f"{command.title}: typer cannot create a command from {command.value}: "
            f"{type(error).__name__}: {error}"
        ) from error


def _command(ctx: Any, name: str, found: Any) -> Any:
    """Return the command of a function or a Typer."""
    alone = found if isinstance(found, typer.Typer) else typer.Typer(add_completion=False)
    if alone is not found:
        alone.command(name)(found)
    command: Any = typer.main.get_command(_without_completion(alone))
    command.name = name
    for each in (command, *getattr(command, "commands", {}).values()):
        _simplify_help([*each.params, each.get_help_option(ctx)])
    return command


def _without_completion(given: typer.Typer) -> typer.Typer:
    """Return an app with the same commands, without the options to install completion."""
    made = typer.Typer(add_completion=False)
    kept = "info", "registered_callback", "registered_groups", "registered_commands"
    for name in (*kept, "rich_markup_mode", "pretty_exceptions_short"):
        setattr(made, name, getattr(given, name))
    return made


def _plugin_commands() -> dict[str, list[PluginCommand]]:
    """Return the plugins' commands by name; report invalid settings and return none."""
    found: dict[str, list[PluginCommand]] = {}
    try:
        for command in plugin_commands():
            found.setdefault(command.name, []).append(command)
    except OpforgeError as error:
        typer.echo(f"commands of plugins are not available: {visible(str(error))}", err=True)
    return found


def _raise_if_known(name: str) -> None:
    """Raise an error with the installation command if a first-party plugin has the command."""
    # Imported here, because only the error needs the table.
    from ..op.registry.catalogue import first_party
    from ..op.registry.missing import offer

    distribution = first_party("command").get(name)
    if distribution is not None:
        raise OperatorNotFoundError(
            f"no installed plugin provides the command {name!r}\n{offer(distribution)}"
        )


def _help_entry(name: str, found: list[PluginCommand]) -> TyperCommand:
    """Return the help entry of a command that one or more plugins provide."""
    decision = decide_command(name)
    chosen = [command for command in found if command.provider.name == decision.provider]
    if chosen:
        line, panel = chosen[0].help_line(), decision.provider
    else:
        panel = ", ".join(command.provider.name for command in found)
        line = f"Ambiguous; choose a plugin: opforge plugins pin {name} DISTRIBUTION"
    return TyperCommand(name, help=visible(line), rich_help_panel=panel)


class _AsGiven:
    """Identity converter of option values."""

    def coerce(self, value: Any, *_: Any, **__: Any) -> Any:
        return value


def _simplify_help(params: list[Any]) -> list[Any]:
    """Remove the type of flags from help, and converters that do nothing.

    To determine a converter, typer from 0.29 on imports pydantic, which takes as long as all of
    `opforge ops`. Older versions ignore this attribute.
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
        # Set before discovery of plugins, and inherited by the processes that try them.
        os.environ["OPFORGE_PLUGINS"] = names


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"opforge {VERSION}")
        raise typer.Exit


app = typer.Typer(
    name="opforge",
    cls=_Commands,
    help="Inspect and manage operators, layers and plugins. Listing imports no plugin.",
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
            is_eager=True,  # plugins provide commands
            callback=_choose_plugins,
            help="Plugins that may load, as in OPFORGE_PLUGINS: none, or a,b, or -c.",
        ),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
) -> None:
    """Inspect and manage operators, layers and plugins. Listing imports no plugin."""
