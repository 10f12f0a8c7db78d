"""Findings of `opforge doctor`, each with its fix."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from ... import plugin
from ...base.errors import OpforgeError
from ...op.registry.naming import normalize
from ...op.registry.table import TABLES
from ...plugin.commands import decide_command, plugin_commands
from ...plugin.record import changed_files, has_record
from ...plugin.remedies import failure_remedy, metadata_remedy, reinstall_line, update_line
from ...plugin.requirements import unmet_requirements
from .explanation import explain_name
from .switches import check_chosen_plugins, check_switches

__all__ = ["Finding", "find_all", "of_trial"]

Row = dict[str, Any]
#: CPU seconds of loading above which a plugin is reported as slow.
SLOW = 1.0


@dataclass(frozen=True)
class Finding:
    """Problem or information found by the doctor.

    Parameters
    ----------
    subject : str
        A plugin, a name, a variable or a file.
    message : str
    remedy : str
        Command or change that fixes it; empty for information only.
    """

    subject: str
    message: str
    remedy: str


def find_all(
    trials: Callable[[list[str]], Iterable[tuple[str, Row]]],
    prepare: Callable[[], None] = lambda: None,
) -> Iterator[Finding]:
    """Check settings, metadata and files, and load each plugin on trial.

    Parameters
    ----------
    trials : callable
        Loads distributions in another process and yields their rows; see `trial.trials`.
    prepare : callable, optional
        Called after the trials have started, to prepare this process for the other checks.

    Yields
    ------
    Finding
        As soon as it is found.
    """
    yield from (Finding(*item) for item in check_switches())
    try:
        states = plugin.states()
        tried = trials([s.provider.name for s in states if s.state != "disabled"])
        prepare()
        found = [*(Finding(*item) for item in check_chosen_plugins()), *_wrong_pins()]
    except OpforgeError as error:
        # Without valid settings it is unknown which plugins may load.
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
    """Yield the findings of loading a plugin on trial."""
    if row["state"] == "failed":
        yield Finding(name, f"fails to load: {row['error']}", failure_remedy(name, row["error"]))
    for problem in row["problems"]:
        yield Finding(name, problem, metadata_remedy(name))
    for message, remedy in row["examinations"]:
        yield Finding(name, message, remedy)
    if row["printed"]:
        text = row["printed"].strip().partition("\n")[0]
        yield Finding(
            name,
            f"prints during its import: {text!r}",
            f"{update_line(name)} to use logging",
        )
    if row["seconds"] > SLOW:
        yield Finding(
            name,
            f"takes {row['seconds']:.1f} s to load",
            f"if you do not need it: opforge plugins disable {name}",
        )


def _unreadable() -> Iterator[Finding]:
    """Yield metadata folders that are skipped."""
    for folder, why in plugin.RESOLVER.unreadable().items():
        yield Finding(folder, f"skipped: {why}", "uninstall it, or remove this folder")


def _wrong_pins() -> Iterator[Finding]:
    """Yield pins to distributions that do not provide the name."""
    for name in plugin.RESOLVER.pins():
        # A pin applies to every kind that has the name; it is valid if it is valid for one of them.
        rows = explain_name(name)
        if rows and all(row["reason"] == "not a provider" for row in rows):
            yield Finding(name, rows[0]["text"], rows[0]["remedy"])


def _ambiguous() -> Iterator[Finding]:
    """Yield names that several plugins provide without a pin."""
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
    """Yield entry point names of several distributions, which switches cannot distinguish."""
    users: dict[str, list[str]] = {}
    for state in states:
        for name in state.provider.modules:
            users.setdefault(normalize(name), []).append(state.provider.name)
    for name, distributions in sorted(users.items()):
        if len(distributions) > 1:
            yield Finding(
                name,
                f"{' and '.join(distributions)} use the same entry point name {name!r}, so that "
                f"OPFORGE_PLUGINS=-{name} applies to both",
                f"use the name of the distribution: OPFORGE_PLUGINS=-{distributions[0]}",
            )


def _of_installation(state: plugin.PluginState) -> Iterator[Finding]:
    """Yield the problems with a plugin's metadata and files, without loading it."""
    name, version = state.provider.name, state.provider.version
    if state.reason and not state.reason.startswith("disabled"):
        yield Finding(name, f"not loaded: {state.reason}", state.remedy)
    try:
        installed = distribution(name)
    except (PackageNotFoundError, ValueError):
        yield Finding(
            name, "its metadata is stored under another name", "uninstall and reinstall it"
        )
        return
    for unmet in unmet_requirements(installed):
        yield Finding(name, unmet.text, unmet.line(name))
    reinstall = reinstall_line(name, version)
    if not has_record(installed):
        yield Finding(name, "has no RECORD, so its files cannot be checked", reinstall)
    changed = changed_files(installed)
    if changed:
        files = ", ".join(f"{file} ({what})" for file, what in sorted(changed.items()))
        yield Finding(name, f"files differ from its RECORD: {files}", reinstall)
