"""Short listing of all contributions; imports neither a plugin nor the core.

Registered contributions come from the registries. Those of plugins that are not loaded are read
from metadata and source text, and the core's own from a stored list, so that listing everything
needs neither NumPy nor compiled modules.
"""

import inspect
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ... import plugin
from ...base.version import VERSION
from ...op.declaring.defaults import ARGUMENTS, OUTPUTS
from ...op.registry.entry import CORE, Entry
from ...op.registry.kinds import KINDS, Kind
from ...op.registry.naming import normalize, public_name
from ...op.registry.table import TABLES, Registry
from ...plugin.source import read_contribution

__all__ = [
    "STORED",
    "contribution_names",
    "contribution_rows",
    "core_rows",
    "description_of",
    "entry_version",
    "provided",
    "shown_name",
]

Row = dict[str, Any]
#: List of the core's own contributions, written by ``scripts/core_catalogue.py --write``.
STORED = "core_catalogue.json"


def contribution_rows(include_hidden: bool = False) -> list[Row]:
    """Return a row for each contribution of each provider: operators, layers, the other kinds.

    Parameters
    ----------
    include_hidden : bool, default False
        Whether to include names with a leading underscore, which are internal. ``_contrib_x`` and
        similar names are always included: programs call ``contrib.x``.
    """
    rows: list[Row] = []
    for kind in KINDS.values():
        found = [*_registered_rows(TABLES[kind.noun]), *_not_loaded(kind)]
        known = {kind.key(row["name"]) for row in found if row["plugin"] == CORE}
        found += [row for row in _stored_rows(kind.noun) if kind.key(row["name"]) not in known]
        rows += sorted(found, key=_reading_order)
    if include_hidden:
        return rows
    return [row for row in rows if not public_name(row["name"]).startswith("_")]


def contribution_names(include_hidden: bool = False) -> list[Row]:
    """Return name, kind, plugin and version of each contribution, without reading source text.

    Parameters
    ----------
    include_hidden : bool, default False
        As for `contribution_rows`.
    """
    rows: list[Row] = []
    for kind in KINDS.values():
        noun = kind.noun
        rows += [
            _row(noun, row["name"], CORE, VERSION, "", "", (), ()) for row in _stored_rows(noun)
        ]
        rows += [
            _row(noun, name, state.provider.name, state.provider.version, "", "", (), ())
            for name, state in provided(kind)
        ]
    return [row for row in rows if include_hidden or not public_name(row["name"]).startswith("_")]


def core_rows() -> list[Row]:
    """Return the rows of the core's own registered contributions, which are stored."""
    return [
        row
        for table in TABLES.values()
        for row in sorted(_registered_rows(table), key=_reading_order)
        if row["plugin"] == CORE
    ]


def provided(kind: Kind) -> Iterator[tuple[str, plugin.PluginState]]:
    """Yield the name and plugin of each contribution of a kind, from metadata."""
    for state in plugin.states():
        for name in state.provider.names(kind.noun):
            yield name, state


def shown_name(noun: str, entry: Entry) -> str:
    """Return the name of an entry, in the spelling of its class if names are case-folded."""
    own = str(getattr(entry.prop_class, "__name__", ""))
    return own if KINDS[noun].key(own) == entry.name else entry.name


def entry_version(entry: Entry) -> str:
    """Return the version of the distribution that registered an entry."""
    return entry.version or (VERSION if entry.kind == "std" else "")


def description_of(contribution: Any) -> str:
    """Return the docstring of a contribution."""
    return inspect.cleandoc(vars(contribution).get("__doc__") or contribution.__doc__ or "")


def _reading_order(row: Row) -> tuple[str, str, bool, str]:
    provider = normalize(row["plugin"])
    return public_name(row["name"]).lower(), row["name"], provider != CORE, provider


def _registered_rows(table: Registry) -> list[Row]:
    noun = table.kind.noun
    return [
        _row(
            noun,
            shown_name(noun, entry),
            entry.provider,
            entry_version(entry),
            "loaded",
            description_of(entry.contribution),
            getattr(entry.prop_class, "arguments", ()) if noun == "operator" else (),
            getattr(entry.prop_class, "outputs", ()) if noun == "operator" else (),
        )
        for entry in table.entries()
        if not _is_alias(table, entry)
    ]


def _is_alias(table: Registry, entry: Entry) -> bool:
    """Return whether an entry is an alias of a class that is also registered under its own name.

    Aliases of operators do not count: programs call them, and ``nd`` has each.
    """
    if not table.kind.folded or entry.kind != "std":
        return False
    own = table.kind.key(entry.prop_class.__name__)
    return own != entry.name and any(e.prop_class is entry.prop_class for e in table.versions(own))


def _not_loaded(kind: Kind) -> Iterator[Row]:
    """Yield the rows of plugins that are not loaded, including disabled ones."""
    table = TABLES[kind.noun]
    for name, state in provided(kind):
        if state.provider.key in table.providers(name):
            continue
        source = read_contribution(kind.noun, state.provider.provides[kind.noun][name], name)
        inputs: Sequence[str] = ()
        outputs: Sequence[str] = ()
        if kind.noun == "operator" and source.line:
            inputs = source.names("arguments", ARGUMENTS)
            outputs = source.names("outputs", OUTPUTS)
        owner = state.provider.name, state.provider.version, state.state
        yield _row(kind.noun, name, *owner, source.doc, inputs, outputs)


def _stored_rows(noun: str) -> list[Row]:
    return [
        _row(noun, name, CORE, VERSION, "loaded", doc, inputs, outputs)
        for own, name, inputs, outputs, doc in _stored_table()
        if own == noun
    ]


@cache
def _stored_table() -> list[tuple[str, str, list[str], list[str], str]]:
    text = files(str(__package__)).joinpath(STORED).read_text(encoding="utf-8")
    return [tuple(row) for row in json.loads(text)]


def _row(
    noun: str,
    name: str,
    provider: str,
    version: str,
    state: str,
    doc: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> Row:
    return {
        "name": name,
        "kind": noun,
        "arguments": list(inputs),
        "outputs": list(outputs),
        "plugin": provider,
        "version": version,
        "state": state,
        "doc": doc.partition("\n")[0],
    }
