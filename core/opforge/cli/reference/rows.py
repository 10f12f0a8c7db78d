"""Details of single contributions as plain dictionaries, the same for tables and JSON.

Loaded contributions come from the registries, others from metadata and source text, both through
`declarations`. `listing` has short lists of all contributions.
"""

import inspect
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ... import plugin
from ...op.calling.deprecation import deprecation_text
from ...op.declaring.declaration import OperatorProp
from ...op.declaring.element_types import TYPE_FIELDS, type_rows
from ...op.registry.entry import Entry
from ...op.registry.kinds import KINDS, Kind
from ...op.registry.naming import public_name
from ...op.registry.table import TABLES
from ...op.rules import providers
from ...plugin.source import read_contribution
from .declarations import operator_of
from .exports import exports_of
from .listing import description_of, entry_version, provided, shown_name
from .signatures import loaded_signature, source_signature

__all__ = ["candidates", "details", "functions_of_modules", "import_core"]

Row = dict[str, Any]
_ROOT = __name__.partition(".")[0]


def candidates(name: str, noun: str | None = None, with_source: bool = False) -> list[Row]:
    """Return the details of `name` from each provider, loaded or not; imports none of them.

    Parameters
    ----------
    name : str
    noun : str, optional
        Kind, a key of `op.registry.kinds.KINDS`. Default: all kinds.
    with_source : bool, default False
        Whether to look up the source line of loaded contributions, which parses their files.
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


def functions_of_modules(name: str) -> list[Row]:
    """Return the details of a function of a module that plugins provide; loads the plugin.

    Parameters
    ----------
    name : str
        Path from `opforge`, such as ``np.linalg.svd``.
    """
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        modules = candidates(".".join(parts[:count]), "module")
        if modules:
            function = _attribute(".".join(parts[:count]), parts[count:])
            return [_from_function(name, function, row) for row in modules if callable(function)]
    return []


def _attribute(module: str, path: Sequence[str]) -> Any:
    """Return an attribute of a module of opforge, or None if it does not exist."""
    found: Any = import_module(f"{_ROOT}.{module}")
    for name in path:
        found = getattr(found, name, None)
    return found


def _from_function(name: str, function: Any, module: Row) -> Row:
    """Return the row of a function of a module."""
    row = _blank("module", name, module["plugin"], module["version"], "loaded")
    row["kind"], row["call"] = "function", name + loaded_signature(function)
    row["description"] = inspect.getdoc(function) or ""
    row["class"] = f"{function.__module__}.{function.__qualname__}"
    row["file"], row["line"] = _source_line(function)
    return _complete_row(row, None)


def details(row: Row) -> Row:
    """Return a row as ``opforge ops show`` prints it, with file and line combined."""
    shown = dict(row)
    shown["file"] = f"{row['file']}:{row['line']}" if row["file"] else ""
    del shown["line"]
    return shown


def import_core() -> None:
    """Register opforge's own contributions, such as primitive operators and optimizers."""
    from ...std import register

    register()
    for kind in KINDS.values():
        if kind.home:
            import_module(kind.home)


def _from_entry(noun: str, entry: Entry, with_source: bool) -> Row:
    """Return the row of a registered contribution."""
    contribution = entry.contribution
    name = shown_name(noun, entry)
    row = _blank(noun, name, entry.provider, entry_version(entry), "loaded")
    row["description"] = description_of(contribution)
    row["class"] = entry.object_name
    row["call"] += _arguments(noun, loaded_signature(contribution))
    if with_source:
        row["file"], row["line"] = _source_line(contribution)
    return _complete_row(row, contribution)


def _from_source(noun: str, name: str, state: plugin.PluginState) -> Row:
    """Return the row of a contribution of a plugin that is not loaded."""
    provider = state.provider
    value = provider.provides[noun][name]
    row = _blank(noun, name, provider.name, provider.version, state.state)
    source = read_contribution(noun, value, name)
    row["description"], row["class"] = source.doc, value
    row["call"] += _arguments(noun, source_signature(value, name))
    row["file"], row["line"] = source.file, source.line
    row["error"] = state.error or source.problem
    if noun != "operator" or not source.line:
        return _complete_row(row, None)
    operator = operator_of(name, source, provider)
    row["error"] = row["error"] or operator.problem
    row = _complete_row(row, operator.prop_class)
    if not source.computed.isdisjoint(TYPE_FIELDS):
        row["types"] = []
    return row


def _complete_row(row: Row, contribution: Any) -> Row:
    """Add the contents of an operator's declaration, if it is an operator."""
    row["doc"] = row["description"].partition("\n")[0]
    if not (isinstance(contribution, type) and issubclass(contribution, OperatorProp)):
        return row
    for key in ("arguments", "outputs", "auxiliary_states", "aliases"):
        row[key] = list(getattr(contribution, key))
    row["category"] = contribution.category
    row["operator_version"] = contribution.version
    row["deprecated"] = deprecation_text(contribution.deprecated_since, contribution.replacement)
    row["attributes"] = [
        {"name": key, "type": attribute.describe, "doc": attribute.doc}
        for key, attribute in contribution.attributes.items()
    ]
    row["types"] = type_rows(contribution)
    row["argument_docs"] = dict(contribution.argument_docs)
    row["rules"] = providers(contribution.name)
    row["exports"] = exports_of(contribution)
    row["named_attributes"] = {key: repr(value) for key, value in contribution.attrs.items()}
    return row


def _arguments(noun: str, signature: str) -> str:
    """Return the signature if programs call a contribution by its name; else nothing."""
    kind = KINDS[noun]
    is_called = noun != "operator" and not kind.is_module and kind.expression.endswith("{name}")
    return signature if is_called else ""


def _blank(noun: str, name: str, provider: str, version: str, state: str) -> Row:
    return {
        "name": name,
        "kind": noun,
        "arguments": [],
        "outputs": [],
        "auxiliary_states": [],
        "attributes": [],
        "types": [],
        "argument_docs": {},
        "named_attributes": {},
        "rules": {},
        "exports": {},
        "aliases": [],
        "category": "",
        "operator_version": None,
        "deprecated": "",
        "call": KINDS[noun].call(public_name(name)),
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


def _source_line(contribution: Any) -> tuple[str, int]:
    try:
        return inspect.getsourcefile(contribution) or "", inspect.getsourcelines(contribution)[1]
    except (OSError, TypeError):
        return "", 0
