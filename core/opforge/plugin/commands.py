"""Commands of ``opforge``: those of the core, and those that plugins provide.

A distribution declares a command by an entry point in the group ``opforge.commands``. Listing
commands reads metadata and source text; only the command to run is imported.
"""

import re
from dataclasses import dataclass
from typing import Any

from ..base.errors import AmbiguousOperatorError, OutOfMemoryError, PluginError
from ..base.out_of_memory import lacked_memory
from ..op.registry.decision import Decision, decide
from ..op.registry.naming import FullName, pin_line
from .discovery import Provider
from .importing import import_object
from .resolver import RESOLVER

__all__ = [
    "CORE_COMMANDS",
    "PluginCommand",
    "commands_of",
    "decide_command",
    "find_command",
    "load_command",
    "name_problems",
    "plugin_commands",
]

#: Name -> help line, in display order. The line equals the first one of the command's own help.
CORE_COMMANDS = {
    "ops": "List and explain operators, layers, optimizers and all other contributions.",
    "plugins": "List, configure and check plugins without importing them.",
    "lock": "Write versions and digests of all plugins to a lock file, or compare them with it.",
    "doctor": "Diagnose problems with plugins and settings; exit status 1 if there are any.",
    "model": "Inspect, convert, run, compare, quantize and measure saved models.",
}
#: Names that a shell reads as one word, and not as an option.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class PluginCommand:
    """Command declared by an installed distribution.

    Parameters
    ----------
    name : str
    value : str
        ``module:attribute`` of a function or a ``typer.Typer``.
    provider : Provider
    """

    name: str
    value: str
    provider: Provider

    @property
    def title(self) -> str:
        """The command and its distribution, for messages."""
        return f"command {self.name!r} of {self.provider.name} {self.provider.version}"

    def help_line(self) -> str:
        """Return the first paragraph of its help, or the summary of its distribution."""
        from .source_commands import command_help

        return command_help(self.value) or _summary(self.provider)


def commands_of(provider: Provider) -> list[PluginCommand]:
    """Return the commands of one distribution that can be run, sorted by name."""
    return [
        PluginCommand(name, value, provider)
        for name, value in sorted(provider.commands.items())
        if not _problem(name)
    ]


def plugin_commands() -> list[PluginCommand]:
    """Return the commands of all enabled plugins, sorted by distribution and name."""
    return [
        command
        for state in RESOLVER.command_states()
        if state.state != "disabled"
        for command in commands_of(state.provider)
    ]


def name_problems(provider: Provider) -> list[str]:
    """Return the problems with the names of a distribution's commands."""
    found = ((name, _problem(name)) for name in sorted(provider.commands))
    return [f"command {name!r}: {problem}" for name, problem in found if problem]


def decide_command(name: str) -> Decision:
    """Return which distribution provides a command, and why; a core command always wins."""
    in_core = name in CORE_COMMANDS
    return decide(
        FullName(None, name, None),
        in_core,
        lambda: {c.provider.key: c.provider.name for c in plugin_commands() if c.name == name},
        pin=None if in_core else RESOLVER.pins().get(name),
    )


def find_command(name: str) -> PluginCommand | None:
    """Return the plugin command of this name; None if no installed plugin provides it.

    Raises
    ------
    AmbiguousOperatorError
        Several plugins provide it, and no pin selects one.
    PluginError
        Its plugin is disabled, or a pin names a distribution that does not provide it.
    """
    decision = decide_command(name)
    if decision.reason == "ambiguous":
        raise AmbiguousOperatorError(_ambiguous(name, decision.candidates))
    if decision.reason == "not a provider" and decision.candidates:
        raise PluginError(
            f"command {name!r} is pinned to {decision.provider}, which is not installed, is "
            f"disabled, or does not provide it; {', '.join(decision.candidates)} does. Correct "
            f"OPFORGE_PIN, or run `opforge plugins unpin {name}`"
        )
    for command in plugin_commands():
        if command.name == name and command.provider.name == decision.provider:
            return command
    _raise_if_disabled(name)
    return None


def load_command(command: PluginCommand) -> Any:
    """Import a command and return it: a function or a ``typer.Typer``.

    Raises
    ------
    PluginError
        It cannot be imported, or is of another type; the message names its distribution.
    """
    from .interrupts import was_raised_by_code

    try:
        found = import_object(command.value)
    # sys.exit() during the import of a command must not end the program silently.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not was_raised_by_code(error):
            raise
        if lacked_memory(error):
            raise OutOfMemoryError(f"no memory to import {command.title}: {error!r}") from error
        raise PluginError(_import_failure(command, error)) from error
    problem = _kind_problem(found)
    if problem:
        raise PluginError(f"{command.title}: {command.value} {problem}")
    return found


def _problem(name: str) -> str:
    if name in CORE_COMMANDS:
        return "opforge has a command of this name, which takes precedence; rename it"
    return "" if _NAME.fullmatch(name) else "not a valid command name; rename it"


def _kind_problem(found: Any) -> str:
    # Imported here, because listing commands needs neither.
    import inspect

    import typer

    if inspect.isroutine(found) or isinstance(found, typer.Typer):
        return ""
    return f"is {found!r}, expected a function or a typer.Typer"


def _ambiguous(name: str, candidates: tuple[str, ...]) -> str:
    first = candidates[0]
    return (
        f"command {name!r} is provided by {', '.join(candidates)}. Choose one: "
        f"`opforge plugins pin {name} {first}`, or {pin_line(name, first)} for one call; or "
        f"disable one: `opforge plugins disable {candidates[-1]}`"
    )


def _import_failure(command: PluginCommand, error: BaseException) -> str:
    from .remedies import failure_remedy
    from .tracebacks import last_line, plugin_traceback

    trace = "\n".join(f"    {line}" for line in plugin_traceback(error).splitlines())
    remedy = failure_remedy(command.provider.name, last_line(error))
    return f"{command.title} cannot be imported:\n{trace}\nTo fix it: {remedy}"


def _raise_if_disabled(name: str) -> None:
    for state in RESOLVER.command_states():
        if state.state != "disabled":
            continue
        if name in state.provider.commands and not _problem(name):
            raise PluginError(
                f"command {name!r} is provided by {state.provider.name}, which is "
                f"{state.reason}: {state.remedy}"
            )


def _summary(provider: Provider) -> str:
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        fields = metadata(provider.name)
    except (PackageNotFoundError, ValueError):
        return ""
    return str(fields["Summary"]) if "Summary" in fields else ""
