"""Short listing of all contributions; imports neither a plugin nor the core.

What is registered is told by the registries. The rest of the plugins' things is read from metadata
and source text, and the rest of the core's own from a stored list, so that a list of everything
needs neither NumPy nor what computes.
"""

import inspect
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from .. import plugin
from ..base.version import VERSION
from ..op.declaring.defaults import ARGUMENTS, OUTPUTS
from ..op.registry.entry import CORE, Entry
from ..op.registry.kinds import KINDS, Kind
from ..op.registry.naming import normalise, public_name
from ..op.registry.table import TABLES, Registry
from ..plugin.source import read_thing

__all__ = [
    "STORED",
    "core_rows",
    "description_of",
    "entry_version",
    "provided",
    "search",
    "shown_name",
    "thing_names",
    "thing_rows",
]

Row = dict[str, Any]
#: The core's own things, in this package; ``scripts/core_things.py --write`` writes it.
STORED = "core_things.json"


def thing_rows(include_hidden: bool = False) -> list[Row]:
    """Return one row for each thing of each provider: operators, layers, then the other kinds.

    Parameters
    ----------
    include_hidden : bool, default False
        Whether to list names that begin with an underscore, which are made for other operators;
        ``_contrib_x`` and its like are listed anyway: programs call ``contrib.x``.
    """
    rows: list[Row] = []
    for kind in KINDS.values():
        found = [*_registered(TABLES[kind.noun]), *_not_loaded(kind)]
        known = {kind.key(row["name"]) for row in found if row["plugin"] == CORE}
        found += [row for row in _stored(kind.noun) if kind.key(row["name"]) not in known]
        rows += sorted(found, key=_reading_order)
    if include_hidden:
        return rows
    return [row for row in rows if not public_name(row["name"]).startswith("_")]


def thing_names(include_hidden: bool = False) -> list[Row]:
    """Return name, kind, plugin and version of each thing, without reading any source text.

    Parameters
    ----------
    include_hidden : bool, default False
        As of `thing_rows`.
    """
    rows: list[Row] = []
    for kind in KINDS.values():
        noun = kind.noun
        rows += [_row(noun, row["name"], CORE, VERSION, "", "", (), ()) for row in _stored(noun)]
        rows += [
            _row(noun, name, state.provider.name, state.provider.version, "", "", (), ())
            for name, state in provided(kind)
        ]
    return [row for row in rows if include_hidden or not public_name(row["name"]).startswith("_")]


def search(words: list[str]) -> list[Row]:
    """Return what has all the words in its name, kind or description, names first.

    Parameters
    ----------
    words : list of str
        Compared without regard to case.
    """
    wanted = [word.lower() for word in words]
    rows = []
    for row in thing_rows():
        name = public_name(row["name"]).lower()
        text = f"{name} {row['kind']} {row['plugin']} {row['doc']}".lower()
        if all(word in text for word in wanted):
            rows.append((not all(word in name for word in wanted), row))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def core_rows() -> list[Row]:
    """Return the rows of the core's own things that are registered: what is stored."""
    return [
        row
        for table in TABLES.values()
        for row in sorted(_registered(table), key=_reading_order)
        if row["plugin"] == CORE
    ]


def provided(kind: Kind) -> Iterator[tuple[str, plugin.PluginState]]:
    """Yield name and plugin of each thing of a kind that plugins provide by their metadata."""
    for state in plugin.states():
        for name in state.provider.names(kind.noun):
            yield name, state


def shown_name(noun: str, entry: Entry) -> str:
    """Return the name of what is registered; where names are folded, as its class writes it."""
    own = str(getattr(entry.prop_class, "__name__", ""))
    return own if KINDS[noun].key(own) == entry.name else entry.name


def entry_version(entry: Entry) -> str:
    """Return the version of the distribution that registered something."""
    return entry.version or (VERSION if entry.kind == "std" else "")


def description_of(thing: Any) -> str:
    """Return the docstring of what is registered."""
    return inspect.cleandoc(vars(thing).get("__doc__") or thing.__doc__ or "")


def _reading_order(row: Row) -> tuple[str, str, bool, str]:
    provider = normalise(row["plugin"])
    return public_name(row["name"]).lower(), row["name"], provider != CORE, provider


def _registered(table: Registry) -> list[Row]:
    noun = table.kind.noun
    return [
        _row(
            noun,
            shown_name(noun, entry),
            entry.provider,
            entry_version(entry),
            "loaded",
            description_of(entry.thing),
            getattr(entry.prop_class, "arguments", ()) if noun == "operator" else (),
            getattr(entry.prop_class, "outputs", ()) if noun == "operator" else (),
        )
        for entry in table.entries()
        if not _is_alias(table, entry)
    ]


def _is_alias(table: Registry, entry: Entry) -> bool:
    """Tell whether a class of opforge's own stands in the table under its own name as well.

    An operator's aliases are listed: programs call them, and ``nd`` has each.
    """
    if not table.kind.folded or entry.kind != "std":
        return False
    own = table.kind.key(entry.prop_class.__name__)
    return own != entry.name and any(e.prop_class is entry.prop_class for e in table.versions(own))


def _not_loaded(kind: Kind) -> Iterator[Row]:
    """Yield what metadata and source text say; of disabled plugins too, which are installed."""
    table = TABLES[kind.noun]
    for name, state in provided(kind):
        if state.provider.key in table.providers(name):
            continue
        source = read_thing(kind.noun, state.provider.provides[kind.noun][name], name)
        inputs: Sequence[str] = ()
        outputs: Sequence[str] = ()
        if kind.noun == "operator" and source.line:
            inputs = source.names("arguments", ARGUMENTS)
            outputs = source.names("outputs", OUTPUTS)
        owner = state.provider.name, state.provider.version, state.state
        yield _row(kind.noun, name, *owner, source.doc, inputs, outputs)


def _stored(noun: str) -> list[Row]:
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
