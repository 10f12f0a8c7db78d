"""What the command line shows, as plain dictionaries: the same for tables and for JSON.

Reads the registry for what is loaded, and metadata and source text for what is not.
"""

import inspect
from typing import Any

from .. import plugin
from ..base.version import VERSION
from ..op import registry
from ..op.declaration import OperatorProp
from ..op.deprecation import deprecation_text
from ..plugin.source import SourceDeclaration, read_declaration

__all__ = ["candidates", "details", "import_core", "operator_rows", "search"]

Row = dict[str, Any]
_TABLES = (("operator", registry.OPERATORS), ("layer", registry.LAYERS))


def operator_rows(include_hidden: bool = False) -> list[Row]:
    """Return one row for each operator and layer of each provider, operators first.

    Parameters
    ----------
    include_hidden : bool, default False
        Whether to list names that begin with an underscore, which are made for other operators.
    """
    import_core()
    rows: list[Row] = []
    for noun, _ in _TABLES:
        for name in _names(noun):
            if include_hidden or not name.startswith("_"):
                rows.extend(_row(row) for row in candidates(name, noun))
    return rows


def candidates(name: str, noun: str | None = None, with_source: bool = False) -> list[Row]:
    """Return what is known about `name` from each provider, loaded or not; imports no plugin.

    Parameters
    ----------
    name : str
    noun : {"operator", "layer"}, optional
        Both if not given.
    with_source : bool, default False
        Whether to look for the line of what is registered, which parses its file each time.
    """
    found = []
    for kind, table in _TABLES:
        if noun not in (None, kind):
            continue
        loaded = table.providers(name)
        found += [_from_entry(kind, entry, with_source) for entry in table.versions(name)]
        for state in plugin.states():
            provided = state.provider.provides[kind]
            if name in provided and state.provider.key not in loaded:
                found.append(_from_source(kind, name, provided[name], state))
    return found


def search(words: list[str]) -> list[Row]:
    """Return operators and layers whose name or description has all the words, names first.

    Parameters
    ----------
    words : list of str
        Compared without regard to case.
    """
    wanted = [word.lower() for word in words]
    rows = []
    for row in operator_rows():
        name = row["name"].lower()
        text = f"{name} {row['plugin']} {row['doc']}".lower()
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
    """Register the primitive operators, which belong to opforge itself."""
    from ..std import register

    register()


def _names(noun: str) -> list[str]:
    table = dict(_TABLES)[noun]
    # Those of disabled plugins are shown too: they are installed.
    provided = (name for state in plugin.states() for name in state.provider.provides[noun])
    return sorted({*(entry.name for entry in table.entries()), *provided}, key=_reading_order)


def _reading_order(name: str) -> tuple[str, str]:
    return name.lower(), name


def _row(candidate: Row) -> Row:
    keys = ("name", "kind", "arguments", "outputs", "plugin", "version", "state", "doc")
    return {key: candidate[key] for key in keys}


def _from_entry(noun: str, entry: registry.Entry, with_source: bool) -> Row:
    """Describe what is registered."""
    prop_class = entry.prop_class
    row = _blank(noun, entry.name, entry.provider, _version(entry), "loaded")
    row["description"] = inspect.cleandoc(prop_class.__dict__.get("__doc__") or "")
    row["doc"] = row["description"].partition("\n")[0]
    row["class"] = f"{prop_class.__module__}.{prop_class.__qualname__}"
    if with_source:
        row["file"], row["line"] = _source_line(prop_class)
    if issubclass(prop_class, OperatorProp):
        for key in ("arguments", "outputs", "auxiliary_states", "aliases"):
            row[key] = list(getattr(prop_class, key))
        row["category"] = prop_class.category
        row["operator_version"] = prop_class.version
        row["deprecated"] = deprecation_text(prop_class.deprecated_since, prop_class.replacement)
        row["attributes"] = [
            {"name": key, "type": attribute.describe, "doc": attribute.doc}
            for key, attribute in prop_class.attributes.items()
        ]
        row["argument_docs"] = dict(prop_class.argument_docs)
        row["named_attributes"] = {key: repr(v) for key, v in prop_class.attrs.items()}
    return row


def _from_source(noun: str, name: str, value: str, state: plugin.PluginState) -> Row:
    """Describe what metadata and source text say of a plugin that is not loaded."""
    source: SourceDeclaration = read_declaration(value, name)
    row = _blank(noun, name, state.provider.name, state.provider.version, state.state)
    row.update(
        {
            "doc": source.doc_line,
            "description": source.doc,
            "class": value,
            "file": source.file,
            "line": source.line,
            "error": state.error or source.problem,
        }
    )
    if noun == "operator":
        fields = source.fields
        # Without a line in the body the protocol's own default holds.
        row["arguments"] = _listed(fields.get("arguments", OperatorProp.arguments))
        row["outputs"] = _listed(fields.get("outputs", OperatorProp.outputs))
        row["auxiliary_states"] = _listed(fields.get("auxiliary_states", ()))
        row["aliases"] = _listed(fields.get("aliases", ()))
        row["category"] = str(fields.get("category", ""))
        row["operator_version"] = fields.get("version", OperatorProp.version)
        row["deprecated"] = deprecation_text(
            fields.get("deprecated_since", ""), fields.get("replacement", "")
        )
        row["attributes"] = [
            {"name": key, "type": text, "doc": source.attribute_docs[key]}
            for key, text in source.attributes.items()
        ]
        row["argument_docs"] = dict(fields.get("argument_docs", {}))
        row["named_attributes"] = {k: repr(v) for k, v in dict(fields.get("attrs", {})).items()}
        if not source.line:
            row["arguments"], row["outputs"] = [], []
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


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (tuple, list)) else []


def _version(entry: registry.Entry) -> str:
    return entry.version or (VERSION if entry.kind == "std" else "")


def _source_line(thing: Any) -> tuple[str, int]:
    try:
        return inspect.getsourcefile(thing) or "", inspect.getsourcelines(thing)[1]
    except (OSError, TypeError):
        return "", 0
