"""Rows about plugins for the command line, as plain dictionaries."""

from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from ... import plugin
from ...base.errors import PluginError
from ...base.spelling import close_names
from ...op.registry.entry import CORE
from ...op.registry.kinds import KINDS
from ...op.registry.naming import normalize
from ...plugin.commands import name_problems
from ...plugin.discovery import Provider, discover
from ...plugin.module_location import locate
from ...plugin.record import changed_files, editable_folder, has_record, record_hash
from ...plugin.remedies import failure_remedy
from ...plugin.requirements import unmet_requirements
from ...plugin.source import read_contribution
from .trial import try_plugins

__all__ = [
    "find_installed",
    "find_provider",
    "plugin_details",
    "plugin_rows",
    "verify_files",
    "verify_rows",
]

Row = dict[str, Any]


def plugin_rows(check: bool = False) -> list[Row]:
    """Return one row for each installed plugin.

    Parameters
    ----------
    check : bool, default False
        Whether to load each plugin in another process.
    """
    states = plugin.states()
    enabled = [state.provider.name for state in states if state.state != "disabled"]
    tried = try_plugins(enabled) if check else {}
    return [_row(state, tried.get(state.provider.name)) for state in states]


def plugin_details(name: str, check: bool = False) -> Row:
    """Return the details of a plugin.

    Parameters
    ----------
    name : str
        Its distribution, or the name of its entry point.
    check : bool, default False
        Whether to load it in another process.
    """
    state = find_installed(name)
    own = state.provider.name
    tried = try_plugins([own]) if check and state.state != "disabled" else {}
    row = _row(state, tried.get(own))
    found = _distribution(state.provider)
    row["reason"] = state.reason
    row["files"] = [str(f) for f in map(_file_of, state.provider.modules.values()) if f]
    row["requires"] = list(found.requires or []) if found else []
    row["unmet"] = [unmet.text for unmet in unmet_requirements(found)] if found else []
    row["record"] = record_hash(found) if found else ""
    return row


def verify_rows(name: str | None = None) -> list[Row]:
    """Return the result of `verify_files` for one plugin, or for all; needs no settings."""
    providers = [find_provider(name)] if name else discover().values()
    return [verify_files(provider) for provider in providers]


def find_installed(name: str) -> plugin.PluginState:
    """Return the state of a plugin by the name of its distribution or entry point."""
    return plugin.RESOLVER.states()[find_provider(name).key]


def find_provider(name: str) -> Provider:
    """Return a plugin by the name of its distribution or entry point; needs no settings.

    Raises
    ------
    PluginError
        It is not installed, or several entry points have the name.
    """
    providers = discover()
    key = normalize(name)
    if key in providers:
        return providers[key]
    if key == CORE:
        raise PluginError("opforge itself is not a plugin and is always enabled")
    found = [p for p in providers.values() if key in map(normalize, p.modules)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(provider.name for provider in found)
        raise PluginError(
            f"several plugins have the name {name!r}: {names}; use the name of the distribution"
        )
    close = close_names(key, providers)
    hint = f"; did you mean {' or '.join(close)}?" if close else f": pip install {name}"
    raise PluginError(f"plugin {name!r} is not installed{hint}")


def _row(state: plugin.PluginState, tried: Row | None) -> Row:
    provider = state.provider
    row: Row = {
        "plugin": provider.name,
        "version": provider.version,
        "state": state.state,
        "modules": dict(provider.modules),
        "operators": provider.names("operator"),
        "layers": provider.names("layer"),
        "others": _others(provider),
        "error": state.error,
        "traceback": state.trace,
        "problems": list(state.problems),
        "seconds": round(state.seconds, 4),
        "printed": "",
        "remedy": state.remedy,
    }
    if tried is not None:
        row.update(tried)
        if row["state"] == "failed":
            row["remedy"] = failure_remedy(provider.name, row["error"])
    else:
        row["problems"] += _source_problems(state)
    return row


def _others(provider: Provider) -> dict[str, list[str]]:
    """Return noun -> names of contributions other than operators and layers, with commands."""
    nouns = [noun for noun in KINDS if noun not in ("operator", "layer")]
    found = {noun: provider.names(noun) for noun in nouns}
    found["command"] = sorted(provider.commands)
    return {noun: names for noun, names in found.items() if names}


def verify_files(provider: Provider) -> Row:
    """Compare the files of a distribution with RECORD.

    Returns
    -------
    dict
        ``"plugin"``, ``"version"``, ``"state"`` ("unchanged", "changed", "no record" or
        "editable"), ``"record"`` and ``"files"``, a dict from changed files to their state.
    """
    found = _distribution(provider)
    row: Row = {
        "plugin": provider.name,
        "version": provider.version,
        "state": "no record",
        "record": "",
        "files": {},
    }
    if found is not None and has_record(found):
        row["files"] = changed_files(found)
        row["record"] = record_hash(found)
        row["state"] = "editable" if editable_folder(found) else "unchanged"
        row["state"] = "changed" if row["files"] else row["state"]
    return row


def _distribution(provider: Provider) -> Distribution | None:
    try:
        return distribution(provider.name)
    except (PackageNotFoundError, ValueError):
        return None


def _file_of(value: str) -> Any:
    return locate(value.partition(":")[0].strip())


def _source_problems(state: plugin.PluginState) -> list[str]:
    """Return the problems of a plugin that can be found without loading it."""
    if state.state != "not loaded":
        return []
    problems = name_problems(state.provider)
    for noun, provided in state.provider.provides.items():
        for name, value in provided.items():
            problem = read_contribution(noun, value, name).problem
            if problem:
                problems.append(f"{noun} {name}: {problem}")
    return problems
