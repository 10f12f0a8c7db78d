"""Entries of lock files for the installed plugins, and differences of these from a lock file."""

from importlib.metadata import distribution
from pathlib import Path

from ... import plugin
from ...base.errors import PluginError
from ...base.instruction_sets import ISA_FLAGS
from ...base.version import VERSION
from ...op.registry.entry import CORE
from ...plugin.discovery import Provider
from ...plugin.lock_file import LockedPlugin, difference, read_lock
from ...plugin.record import listed_files
from .plugin_rows import verify_files
from .trial import TIME_LIMIT, try_plugins

__all__ = ["lock_differences", "locked_plugins"]

#: State of a distribution's files -> what to do before it can be locked.
_REMEDIES = {
    "changed": "reinstall it: pip install --force-reinstall --no-deps {name}",
    "no record": "install it with a tool that writes RECORD: pip install --force-reinstall {name}",
}


def locked_plugins(time_limit: float = TIME_LIMIT) -> list[LockedPlugin]:
    """Return entries for opforge and each enabled plugin, which is loaded in another process.

    Raises
    ------
    PluginError
        A plugin cannot be loaded, or its files differ from RECORD.
    """
    providers = _providers()
    tried = try_plugins([provider.name for provider in providers.values()], time_limit)
    found = []
    for provider in providers.values():
        row = tried[provider.name]
        if row["state"] == "failed":
            raise PluginError(f"{provider.name} cannot be locked: {row['error']}; opforge doctor")
        found.append(_entry(provider, row["native_interface"]))
    return [_entry(Provider(CORE, VERSION)), *found]


def lock_differences(path: Path) -> dict[str, str]:
    """Return distribution -> difference, for each that differs from a lock file.

    Raises
    ------
    PluginError
        The file is not a lock file.
    """
    locked, enabled = read_lock(path), _providers()
    found = {}
    for key in sorted({CORE, *locked, *enabled}):
        why = difference(locked.get(key))
        if why:
            found[locked[key].name if key in locked else key] = why
    return found


def _providers() -> dict[str, Provider]:
    """Return the plugins that may load, or may not only because they differ from a lock file."""
    states = [
        s for s in plugin.states() if s.state != "disabled" or s.reason.startswith("rejected")
    ]
    return {state.provider.key: state.provider for state in states}


def _entry(provider: Provider, abi: str = "") -> LockedPlugin:
    row = verify_files(provider)
    if row["state"] in _REMEDIES:
        remedy = _REMEDIES[row["state"]].format(name=provider.name)
        raise PluginError(f"{provider.name} cannot be locked ({row['state']}); {remedy}")
    record = "" if row["state"] == "editable" else row["record"]
    sets = _instruction_sets(provider.name)
    return LockedPlugin(provider.name, provider.version, record, abi, sets)


def _instruction_sets(name: str) -> tuple[str, ...]:
    """Return the instruction sets that a distribution has native modules for, by their paths."""
    parts = {
        part.partition(".")[0] for file in listed_files(distribution(name)) for part in file.parts
    }
    return tuple(
        each for each in ISA_FLAGS if any(f"_{part}".endswith(f"_{each}") for part in parts)
    )
