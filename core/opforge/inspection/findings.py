"""Findings of `opforge doctor`, each with the line that fixes it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from .. import plugin
from ..base.errors import OpforgeError
from ..op.registry.naming import normalise
from ..op.registry.table import TABLES
from ..plugin.commands import decide_command, plugin_commands
from ..plugin.record import changed_files, has_record
from ..plugin.remedies import failure_remedy, metadata_remedy, reinstall_line, update_line
from ..plugin.requirements import unmet_requirements
from .explanation import explain_name
from .switches import check_chosen_plugins, check_switches

__all__ = ["Finding", "find_all", "of_trial"]

Row = dict[str, Any]
#: Processor seconds beyond which a plugin is slow to load.
SLOW = 1.0


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Parameters
    ----------
    subject : str
        A plugin, a name, a variable or a file.
    message : str
    remedy : str
        What to type or change; empty where nothing is wrong, and a plugin tells what it found.
    """

    subject: str
    message: str
    remedy: str


def find_all(
    trials: Callable[[list[str]], Iterable[tuple[str, Row]]],
    prepare: Callable[[], None] = lambda: None,
) -> Iterator[Finding]:
    """Look at everything: settings, metadata, files, and each plugin loaded on trial.

    Parameters
    ----------
    trials : callable
        Loads distributions elsewhere and gives their rows; see `trial.trials`.
    prepare : callable, optional
        Called when the trials have begun: what this process needs to look at the rest.

    Yields
    ------
    Finding
        As soon as it is made.
    """
    yield from (Finding(*item) for item in check_switches())
    try:
        states = plugin.states()
        tried = trials([s.provider.name for s in states if s.state != "disabled"])
        prepare()
        found = [*(Finding(*item) for item in check_chosen_plugins()), *_wrong_pins()]
    except OpforgeError as error:
        # Without settings nothing is known of what may load.
        yield Finding("settings", str(error), "correct the file or the variable")
        return
    yield from found
    yield from _unreadable()
    yield from _ambiguous()
    yield from _same_plugin_names(states)
    for state in states:
        yield from _of_installation(state)
    for name, row in tried:
        yield from of_trial(name, row)


def of_trial(name: str, row: Row) -> Iterator[Finding]:
    """Yield what loading a plugin on trial showed."""
    if row["state"] == "failed":
        yield Finding(name, f"it fails to load: {row['error']}", failure_remedy(name, row["error"]))
    for problem in row["problems"]:
        yield Finding(name, problem, metadata_remedy(name))
    for message, remedy in row["examinations"]:
        yield Finding(name, message, remedy)
    if row["printed"]:
        text = row["printed"].strip().partition("\n")[0]
        yield Finding(
            name,
            f"it prints when it is imported: {text!r}",
            f"{update_line(name)} to use logging",
        )
    if row["seconds"] > SLOW:
        yield Finding(
            name,
            f"it takes {row['seconds']:.1f} s to load",
            f"if you do not need it: opforge plugins disable {name}",
        )


def _unreadable() -> Iterator[Finding]:
    """Yield metadata that are passed over."""
    for place, why in plugin.RESOLVER.unreadable().items():
        yield Finding(place, f"it is passed over: {why}", "uninstall it, or remove this folder")


def _wrong_pins() -> Iterator[Finding]:
    """Yield pins to distributions that do not have the name."""
    for name in plugin.RESOLVER.pins():
        # A pin is of whatever has the name; where one kind of thing is well pinned, all is well.
        rows = explain_name(name)
        if rows and all(row["reason"] == "not a provider" for row in rows):
            yield Finding(name, rows[0]["text"], rows[0]["remedy"])


def _ambiguous() -> Iterator[Finding]:
    """Yield names that several plugins have and no pin decides."""
    for noun, table in TABLES.items():
        for name in table.names():
            if table.explain(name).reason == "ambiguous":
                row = next(row for row in explain_name(name) if row["kind"] == noun)
                yield Finding(name, row["text"], row["remedy"])
    for name in sorted({command.name for command in plugin_commands()}):
        if decide_command(name).reason == "ambiguous":
            row = next(row for row in explain_name(name) if row["kind"] == "command")
            yield Finding(name, row["text"], row["remedy"])


def _same_plugin_names(states: list[plugin.PluginState]) -> Iterator[Finding]:
    """Yield names of entry points that several distributions use: switches mean them all."""
    users: dict[str, list[str]] = {}
    for state in states:
        for name in state.provider.modules:
            users.setdefault(normalise(name), []).append(state.provider.name)
    for name, distributions in sorted(users.items()):
        if len(distributions) > 1:
            yield Finding(
                name,
                f"{' and '.join(distributions)} both call their plugin {name!r}, so that "
                f"OPFORGE_PLUGINS=-{name} means both",
                f"name the distribution there: OPFORGE_PLUGINS=-{distributions[0]}",
            )


def _of_installation(state: plugin.PluginState) -> Iterator[Finding]:
    """Yield what metadata and files of a plugin show without loading it."""
    name, version = state.provider.name, state.provider.version
    if state.refusal and not state.refusal.startswith("disabled"):
        yield Finding(name, f"it is left out: {state.refusal}", state.remedy)
    try:
        installed = distribution(name)
    except (PackageNotFoundError, ValueError):
        yield Finding(
            name, "its metadata stand under another name", "remove it and install it anew"
        )
        return
    for unmet in unmet_requirements(installed):
        yield Finding(name, unmet.text, unmet.line(name))
    reinstall = reinstall_line(name, version)
    if not has_record(installed):
        yield Finding(name, "it has no RECORD, so that its files cannot be checked", reinstall)
    changed = changed_files(installed)
    if changed:
        files = ", ".join(f"{file} ({what})" for file, what in sorted(changed.items()))
        yield Finding(name, f"files differ from its RECORD: {files}", reinstall)
