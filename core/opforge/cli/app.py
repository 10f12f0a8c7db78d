"""The commands of ``opforge``; each prints a table, or JSON with ``--json``.

A command's module is imported when the command is run: listing operators needs nothing of what
measures them, and the general help and completion need none of them.
"""

import os
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..base.errors import OpforgeError
from ..base.spelling import close_names
from ..base.version import VERSION

__all__ = ["app"]

#: In the order of the help, with the line that it shows, which is the first of the command's own
#: help; each command is what the module of its name in this package has under its name.
_COMMANDS = {
    "ops": "List and explain operators, layers, optimizers and every other kind of thing.",
    "plugins": "List, choose and check plugins; no command imports one.",
    "doctor": "Look for everything that is wrong with plugins and settings; "
    "exit status 1 if there is any.",
    "check": "Check operators, layers, other things: shapes, values, gradients, memory, "
    "threads, docs.",
    "model": "Look into files of models.",
    "stubs": "Write type stubs, so that editors complete nd.my_op( and type checkers check it.",
    "docs": "Write reference pages (Markdown, for MyST) of operators and layers.",
    "new": "Make a project for a plugin: operator or other thing, tests, documentation, packaging.",
    "catalogue": "Make a web page of what plugins bring.",
    "bench": "Measure opforge on this machine, against PyTorch or NumPy where they are installed.",
    "profile": "Run a program; print a table of its operators, write a trace and draw a picture.",
}
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
        return _simplified(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what help and completion show of a command; None if there is no such one."""
        line = _COMMANDS.get(cmd_name)
        return None if line is None else TyperCommand(cmd_name, help=line)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that was typed; where there is none, say which may be meant."""
        name = str(args[0])
        if name in _COMMANDS:
            return name, _imported(ctx, name), args[1:]
        if not name.startswith("-") and not ctx.resilient_parsing:
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
        paths = [(word, word) for word in _COMMANDS]
        for group in _COMMANDS:
            inner = getattr(_imported(ctx, group), "commands", {})
            paths += [(word, f"{group} {word}") for word in inner]
        close = close_names(name, dict(paths))
        lines = [f"opforge {path}" for word in close for last, path in paths if last == word]
        return f" Did you mean {' or '.join(lines)}?" if lines else ""


def _imported(ctx: Any, name: str) -> Any:
    """Return a command itself."""
    found = getattr(import_module(f"{__package__}.commands.{name}"), name)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        alone = typer.Typer(add_completion=False)
        settings = {"allow_interspersed_args": name not in _RUN_PROGRAMS}
        alone.command(name, context_settings=settings)(found)
        command = typer.main.get_command(alone)
    command.name = name
    for each in (command, *getattr(command, "commands", {}).values()):
        _simplified([*each.params, each.get_help_option(ctx)])
    return command


class _AsGiven:
    """What makes an option's value of its text, where that is the text itself."""

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
