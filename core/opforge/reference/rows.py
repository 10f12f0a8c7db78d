"""Everything that is installed, as plain dictionaries: the same for tables and for JSON.

What is loaded comes from the registries, what is not from metadata and source text: both are told
as `declarations` reads them.
"""

import inspect
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from .. import plugin
from ..base.version import VERSION
from ..op.calling.deprecation import deprecation_text
from ..op.declaring.declaration import OperatorProp
from ..op.registry.entry import Entry
from ..op.registry.kinds import KINDS, Kind
from ..op.registry.naming import public_name
from ..op.registry.table import TABLES, Registry
from ..plugin.source import read_thing
from .declarations import operator_of

__all__ = ["candidates", "details", "import_core", "search", "thing_rows"]

Row = dict[str, Any]


def thing_rows(include_hidden: bool = False) -> list[Row]:
    """Return one row for each thing of each provider: operators, layers, then the other kinds.

    Parameters
    ----------
    include_hidden : bool, default False
        Whether to list names that begin with an underscore, which are made for other operators;
        ``_contrib_x`` and its like are listed anyway: programs call ``contrib.x``.
    """
    import_core()
    rows: list[Row] = []
    for kind in KINDS.values():
        provided = _provided(kind)
        for name in _names(kind, provided):
            if include_hidden or not public_name(name).startswith("_"):
                found = _candidates(name, kind, provided.get(kind.key(name), ()), False)
                rows.extend(map(_row, found))
    return rows


def candidates(name: str, noun: str | None = None, with_source: bool = False) -> list[Row]:
    """Return what is known about `name` from each provider, loaded or not; imports no plugin.

    Parameters
    ----------
    name : str
    noun : str, optional
        Of `op.registry.kinds.KINDS`; all if not given.
    with_source : bool, default False
        Whether to look for the line of what is registered, which parses its file each time.
    """
    found = []
    for kind in KINDS.values() if noun is None else (KINDS[noun],):
        found += _candidates(name, kind, _provided(kind).get(kind.key(name), ()), with_source)
    return found


def _provided(kind: Kind) -> dict[str, list[tuple[str, plugin.PluginState]]]:
    """Return name and plugin of each thing that plugins provide, by the form that is compared."""
    found: dict[str, list[tuple[str, plugin.PluginState]]] = {}
    for state in plugin.states():
        for own in state.provider.names(kind.noun):
            found.setdefault(kind.key(own), []).append((own, state))
    return found


def _candidates(
    name: str, kind: Kind, provided: Iterable[tuple[str, plugin.PluginState]], with_source: bool
) -> list[Row]:
    table = TABLES[kind.noun]
    loaded = table.providers(name)
    found = [_from_entry(kind.noun, entry, with_source) for entry in table.versions(name)]
    for own, state in provided:
        if state.provider.key not in loaded:
            found.append(_from_source(kind.noun, own, state))
    return found


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


def details(row: Row) -> Row:
    """Return a row as ``opforge ops show`` prints it, the source's line included."""
    shown = dict(row)
    shown["file"] = f"{row['file']}:{row['line']}" if row["file"] else ""
    del shown["line"]
    return shown


def import_core() -> None:
    """Register what belongs to opforge itself: the primitive operators, optimizers and so on."""
    from ..std import register

    register()
    for kind in KINDS.values():
        if kind.home:
            import_module(kind.home)


def _names(kind: Kind, provided: Mapping[str, list[tuple[str, plugin.PluginState]]]) -> list[str]:
    table = TABLES[kind.noun]
    # Those of disabled plugins are shown too: they are installed.
    names = [name for found in provided.values() for name, _ in found]
    names += [entry.name for entry in table.entries() if not _is_alias(table, entry)]
    return sorted({kind.key(name): name for name in names}.values(), key=_reading_order)


def _reading_order(name: str) -> tuple[str, str]:
    return public_name(name).lower(), name


def _is_alias(table: Registry, entry: Entry) -> bool:
    """Tell whether a class of opforge's own stands in the table under its own name as well.

    An operator's aliases are listed: programs call them, and ``nd`` has each.
    """
    if not table.kind.folded or entry.kind != "std":
        return False
    own = table.kind.key(entry.prop_class.__name__)
    return own != entry.name and any(e.prop_class is entry.prop_class for e in table.versions(own))


def _row(candidate: Row) -> Row:
    keys = ("name", "kind", "arguments", "outputs", "plugin", "version", "state", "doc")
    return {key: candidate[key] for key in keys}


def _from_entry(noun: str, entry: Entry, with_source: bool) -> Row:
    """Describe what is registered."""
    thing = entry.prop_class
    row = _blank(noun, entry.name, entry.provider, _version(entry), "loaded")
    if KINDS[noun].key(thing.__name__) == entry.name:
        row["name"] = thing.__name__  # registries whose names are folded have small letters
    row["description"] = inspect.cleandoc(vars(thing).get("__doc__") or thing.__doc__ or "")
    row["class"] = entry.object_name
    if with_source:
        row["file"], row["line"] = _source_line(thing)
    return _completed(row, thing)


def _from_source(noun: str, name: str, state: plugin.PluginState) -> Row:
    """Describe what metadata and source text say of a plugin that is not loaded."""
    provider = state.provider
    value = provider.provides[noun][name]
    row = _blank(noun, name, provider.name, provider.version, state.state)
    source = read_thing(noun, value, name)
    row["description"], row["class"] = source.doc, value
    row["file"], row["line"] = source.file, source.line
    row["error"] = state.error or source.problem
    if noun != "operator" or not source.line:
        return _completed(row, None)
    operator = operator_of(name, source, provider)
    row["error"] = row["error"] or operator.problem
    return _completed(row, operator.prop_class)


def _completed(row: Row, thing: Any) -> Row:
    """Add what the declaration of an operator says, if it is one."""
    row["doc"] = row["description"].partition("\n")[0]
    if not (isinstance(thing, type) and issubclass(thing, OperatorProp)):
        return row
    for key in ("arguments", "outputs", "auxiliary_states", "aliases"):
        row[key] = list(getattr(thing, key))
    row["category"] = thing.category
    row["operator_version"] = thing.version
    row["deprecated"] = deprecation_text(thing.deprecated_since, thing.replacement)
    row["attributes"] = [
        {"name": key, "type": attribute.describe, "doc": attribute.doc}
        for key, attribute in thing.attributes.items()
    ]
    row["argument_docs"] = dict(thing.argument_docs)
    row["named_attributes"] = {key: repr(value) for key, value in thing.attrs.items()}
    return row


def _blank(noun: str, name: str, provider: str, version: str, state: str) -> Row:
    return {
        "name": name,
        "kind": noun,
        "arguments": [],
        "outputs": [],
        "auxiliary_states": [],
        "attributes": [],
        "argument_docs": {},
        "named_attributes": {},
        "aliases": [],
        "category": "",
        "operator_version": None,
        "deprecated": "",
        "plugin": provider,
        "version": version,
        "state": state,
        "doc": "",
        "description": "",
        "class": "",
        "file": "",
        "line": 0,
        "error": "",
    }


def _version(entry: Entry) -> str:
    return entry.version or (VERSION if entry.kind == "std" else "")


def _source_line(thing: Any) -> tuple[str, int]:
    try:
        return inspect.getsourcefile(thing) or "", inspect.getsourcelines(thing)[1]
    except (OSError, TypeError):
        return "", 0
