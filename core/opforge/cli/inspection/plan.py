"""Effects of installing a wheel, read from its metadata without running code."""

import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

from ... import plugin
from ...base.errors import PluginError
from ...op.registry.decision import Decision
from ...op.registry.entry import CORE
from ...op.registry.naming import normalize
from ...op.registry.table import TABLES
from ...plugin.commands import decide_command
from ...plugin.discovery import Provider, provider_of
from ...plugin.policy import Policy
from ...plugin.record import record_hash
from ...plugin.requirements import unmet_requirements
from ...plugin.wheel import open_wheel
from ..reference.rows import import_core

__all__ = ["plan_wheels"]

Row = dict[str, Any]
#: Requirements that are shown even if they are met, because plugins often conflict over them.
_WATCHED = (CORE, "numpy")


def plan_wheels(targets: list[str]) -> list[Row]:
    """Return what installing wheels would change.

    Parameters
    ----------
    targets : list of str
        Paths of wheels, or requirements, whose wheels pip downloads without installing them.

    Returns
    -------
    list of dict
        One row for each target.
    """
    import_core()  # registers opforge's own contributions
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for target in targets:
            path = Path(target) if target.endswith(".whl") else _fetch(target, Path(folder))
            with open_wheel(path) as distribution:
                rows.append(_plan(distribution))
    return rows


def _fetch(requirement: str, folder: Path) -> Path:
    """Download a wheel by pip; reject source archives, whose build runs their code."""
    _check_requirement(requirement)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), "--", requirement]
    before = set(folder.iterdir())
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = set(folder.iterdir()) - before
    if done.returncode or len(found) != 1:
        raise PluginError(f"pip found no wheel for {requirement!r}: {done.stderr.strip()}")
    return found.pop()


def _check_requirement(text: str) -> None:
    """Reject folders and URLs, whose code pip would run."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        by_name = Requirement(text).url is None and not Path(text).is_file()
    except InvalidRequirement:
        by_name = False
    if not by_name:
        raise PluginError(
            f"{text!r} is neither a wheel nor the name of a distribution; to build a wheel from "
            f"it, which runs its code: pip wheel --no-deps {text}"
        )


def _plan(distribution: Distribution) -> Row:
    new = provider_of(distribution)
    states = plugin.RESOLVER.states()
    old = states[new.key].provider if new.key in states else None
    unmet = unmet_requirements(distribution)
    row: Row = {
        "plugin": new.name,
        "version": new.version,
        "installed": old.version if old else "",
        "modules": dict(new.modules),
        "requires": _watched_packages(distribution),
        "unmet": [{"message": u.text, "remedy": u.line(new.name)} for u in unmet],
        "refused": _block_reason(new),
        "record": record_hash(distribution),
    }
    for key in ("adds", "removes", "shadowed", "ambiguous"):
        row[key] = []
    row["commands"] = dict(new.commands)
    for noun, table in TABLES.items():
        have = set(old.names(noun)) if old else set()
        names = set(new.names(noun))
        _add_changes(row, noun, names, have)
        for name in sorted(names):
            _add_conflict(row, noun, name, table.explain(name), new.key)
    _add_changes(row, "command", set(new.commands), set(old.commands) if old else set())
    for name in sorted(new.commands):
        _add_conflict(row, "command", name, decide_command(name), new.key)
    return row


def _add_changes(row: Row, noun: str, names: set[str], have: set[str]) -> None:
    row["adds"] += [_name(noun, name) for name in sorted(names - have)]
    row["removes"] += [_name(noun, name) for name in sorted(have - names)]


def _add_conflict(row: Row, noun: str, name: str, decision: Decision, key: str) -> None:
    """Record if a short name would resolve to opforge itself, or become ambiguous."""
    others = [text for text in decision.candidates if normalize(text) != key]
    if CORE in others:
        row["shadowed"].append(_name(noun, name))
    elif others and decision.reason != "pinned":
        row["ambiguous"].append({**_name(noun, name), "with": others})


def _name(noun: str, name: str) -> Row:
    return {"kind": noun, "name": name}


def _watched_packages(distribution: Distribution) -> list[str]:
    from packaging.requirements import InvalidRequirement, Requirement

    shown = []
    for text in distribution.requires or []:
        try:
            name = Requirement(text).name
        except InvalidRequirement:
            continue
        if normalize(name) in _WATCHED:
            shown.append(text)
    return shown


def _block_reason(new: Provider) -> str:
    """Return why switches or settings would prevent a plugin from loading."""
    policy = Policy.current(plugin.RESOLVER.settings())
    # A plugin that is not installed has no digest to compare.
    any_contents = replace(policy.settings, allowed=dict.fromkeys(policy.settings.allowed, ""))
    return replace(policy, settings=any_contents).disabled_reason(new.name, new.modules)
