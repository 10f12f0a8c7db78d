"""All that is known of single things, as plain dictionaries: the same for tables and for JSON.

What is loaded comes from the registries, what is not from metadata and source text: both are told
as `declarations` reads them. Lists of everything are `listing`'s.
"""

import inspect
from importlib import import_module
from typing import Any

from .. import plugin
from ..op.calling.deprecation import deprecation_text
from ..op.declaring.declaration import OperatorProp
from ..op.registry.entry import Entry
from ..op.registry.kinds import KINDS, Kind
from ..op.registry.table import TABLES
from ..plugin.source import read_thing
from .declarations import operator_of
from .listing import description_of, entry_version, provided, shown_name

__all__ = ["candidates", "details", "import_core"]

Row = dict[str, Any]


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
    kinds = KINDS.values() if noun is None else (KINDS[noun],)
    return [row for kind in kinds for row in _candidates(name, kind, with_source)]


def _candidates(name: str, kind: Kind, with_source: bool) -> list[Row]:
    table = TABLES[kind.noun]
    loaded = table.providers(name)
    found = [_from_entry(kind.noun, entry, with_source) for entry in table.versions(name)]
    for own, state in provided(kind):
        if kind.key(own) == kind.key(name) and state.provider.key not in loaded:
            found.append(_from_source(kind.noun, own, state))
    return found


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


def _from_entry(noun: str, entry: Entry, with_source: bool) -> Row:
    """Describe what is registered."""
    thing = entry.thing
    name = shown_name(noun, entry)
    row = _blank(noun, name, entry.provider, entry_version(entry), "loaded")
    row["description"] = description_of(thing)
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


def _source_line(thing: Any) -> tuple[str, int]:
    try:
        return inspect.getsourcefile(thing) or "", inspect.getsourcelines(thing)[1]
    except (OSError, TypeError):
        return "", 0
