"""Declarations of all installed operators and layers, without importing plugins.

Loaded ones come from the registry. For the others, the source of the class is parsed and a
declaration is rebuilt from it, so that pages and stubs have a single source.
"""

import ast
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ... import plugin
from ...base.version import VERSION
from ...op.declaring.attribute import Attribute
from ...op.declaring.declaration import OperatorProp
from ...op.registry import registry
from ...op.registry.entry import Entry
from ...plugin import Provider
from ...plugin.module_location import SearchFolders
from ...plugin.source import SourceDeclaration, find_class, read_declaration
from .signatures import constructor_arguments

__all__ = [
    "Layer",
    "Operator",
    "installed_layers",
    "installed_operators",
    "layers_of",
    "operator_of",
    "operators_of",
]


class UnreadAttribute(Attribute):
    """Attribute whose type cannot be read from its source because it is computed.

    Parameters
    ----------
    name, text, doc : str
    """

    __slots__ = ("_text",)

    def __init__(self, name: str, text: str, doc: str) -> None:
        super().__init__(str, default=None, doc=doc)
        self.name = name
        self._text = text

    @property
    def describe(self) -> str:
        """Description of everything that could be read."""
        return self._text

    @property
    def annotation(self) -> Any:
        """Type annotation for stubs: any type."""
        return Any


@dataclass(frozen=True)
class Operator:
    """Operator of a provider.

    Parameters
    ----------
    entry : Entry
        Registry entry; its declaration may have been rebuilt from source text.
    visible : int or None
        Number of outputs of a call; None if it depends on attributes or is computed.
    problem : str
        Why its declaration could not be read.
    """

    entry: Entry
    visible: int | None
    problem: str = ""

    @property
    def name(self) -> str:
        """Registered name."""
        return self.entry.name

    @property
    def prop_class(self) -> Any:
        """The declaration."""
        return self.entry.prop_class

    @property
    def text(self) -> str:
        """The docstring of the declaration."""
        return inspect.cleandoc(self.prop_class.__dict__.get("__doc__") or "")


@dataclass(frozen=True)
class Layer:
    """Layer of a provider.

    Parameters
    ----------
    name, provider, version : str
    text : str
        Its docstring.
    arguments : ast.arguments or None
        Arguments of its constructor, including ``self``; None if it does not define one.
    base : {"Block", "HybridBlock"}
    problem : str
        Why its class could not be read.
    """

    name: str
    provider: str
    version: str
    text: str = ""
    arguments: ast.arguments | None = None
    base: str = "Block"
    problem: str = ""


def installed_operators(distributions: Iterable[str] = ()) -> list[Operator]:
    """Return the operators of all enabled providers, by name and provider.

    Parameters
    ----------
    distributions : iterable of str, optional
        Normalized names of providers to include; default: all.

    Examples
    --------
    >>> [operator.name for operator in installed_operators(["opforge-tile"])]
    ['repeat', 'tile']
    """
    from ...std import register

    register()
    wanted = set(distributions)
    entries = [entry for entry in registry.OPERATORS.entries() if entry.provider]
    found = {(entry.name, entry.provider): _registered_operator(entry) for entry in entries}
    for provider in _enabled_providers():
        for operator in operators_of(provider):
            found.setdefault((operator.name, provider.name), operator)
    return [found[key] for key in sorted(found) if not wanted or _key(key[1]) in wanted]


def installed_layers(distributions: Iterable[str] = ()) -> list[Layer]:
    """Return the layers of all enabled providers, or of some, as `installed_operators` does.

    Examples
    --------
    >>> [layer.name for layer in installed_layers(["opforge-dense"])]
    ['Dense']
    """
    wanted = set(distributions)
    found = [
        layer
        for provider in _enabled_providers()
        if not wanted or provider.key in wanted
        for layer in layers_of(provider)
    ]
    return sorted(found, key=lambda layer: (layer.name, layer.provider))


def operators_of(provider: Provider, folders: SearchFolders = None) -> list[Operator]:
    """Return a provider's operators from source text.

    Parameters
    ----------
    provider : Provider
    folders : tuple of str, optional
        Folders to search instead of `sys.path`.
    """
    operators = provider.provides["operator"]
    return [_from_source(name, operators[name], provider, folders) for name in sorted(operators)]


def layers_of(provider: Provider, folders: SearchFolders = None) -> list[Layer]:
    """Return a provider's layers from source text; see `operators_of`."""
    layers = provider.provides["layer"]
    return [_layer(name, layers[name], provider, folders) for name in sorted(layers)]


def _key(name: str) -> str:
    return Provider(name, "").key


def _enabled_providers() -> list[Provider]:
    return [state.provider for state in plugin.states() if state.state != "disabled"]


def _registered_operator(entry: Entry) -> Operator:
    prop_class = entry.prop_class
    is_fixed = all(
        getattr(prop_class, name) is getattr(OperatorProp, name) for name in _DECIDES_OUTPUTS
    )
    version = entry.version or (VERSION if entry.kind == "std" else "")
    known = Entry(entry.name, prop_class, entry.provider, version, entry.kind)
    return Operator(known, len(prop_class.outputs) if is_fixed else None)


#: Methods that may make the outputs depend on attributes.
_DECIDES_OUTPUTS = ("list_outputs", "num_visible_outputs")


def operator_of(name: str, source: SourceDeclaration, provider: Provider) -> Operator:
    """Return an operator from its source, without the number of its visible outputs.

    Parameters
    ----------
    name : str
    source : SourceDeclaration
    provider : Provider
    """
    problem = source.problem
    try:
        prop_class = _declaration(name, source)
    except TypeError as error:
        prop_class, problem = _declaration(name, SourceDeclaration()), str(error)
    entry = Entry(name, prop_class, provider.name, provider.version, "plugin")
    return Operator(entry, None, problem)


def _from_source(name: str, value: str, provider: Provider, folders: SearchFolders) -> Operator:
    found = operator_of(name, read_declaration(value, name, folders), provider)
    if found.problem or _methods(value, name, folders).intersection(_DECIDES_OUTPUTS):
        return found
    return replace(found, visible=len(found.prop_class.outputs))


def _declaration(name: str, source: SourceDeclaration) -> type[OperatorProp]:
    """Return a declaration with the contents of the source, which cannot compute anything.

    Raises
    ------
    TypeError
        The source contradicts itself or the protocol.
    """
    _check_fields(source.fields)
    body: dict[str, Any] = {"name": name, "__doc__": source.doc, **source.fields}
    for key, read in source.attributes.items():
        if not key.startswith("__"):
            body[key] = read.attribute or UnreadAttribute(key, read.text, read.doc)
    return type("Declaration", (OperatorProp,), body)


def _check_fields(fields: dict[str, Any]) -> None:
    """Reject literals whose type does not match the protocol."""
    for key, value in fields.items():
        if key in ("arguments", "outputs", "auxiliary_states", "aliases", "dtypes"):
            right = isinstance(value, (tuple, list)) and all(isinstance(v, str) for v in value)
        elif key == "argument_docs":
            right = isinstance(value, dict) and all(
                isinstance(text, str) for pair in value.items() for text in pair
            )
        elif key in ("attrs", "argument_dtypes", "output_dtypes"):
            right = isinstance(value, dict)
        elif key == "version":
            right = type(value) is int
        else:
            right = value is None or isinstance(value, (str, bool))
        if not right:
            raise TypeError(f"{key} = {value!r:.60} has the wrong type for a declaration")


def _methods(value: str, name: str, folders: SearchFolders) -> set[str]:
    found = find_class(value, name, folders)
    functions = (n for node in found.lineage for n in node.body if isinstance(n, ast.FunctionDef))
    return {node.name for node in functions}


def _layer(name: str, value: str, provider: Provider, folders: SearchFolders) -> Layer:
    try:
        found = find_class(value, name, folders)
    except LookupError as error:
        return Layer(name, provider.name, provider.version, problem=str(error.args[0]))
    node = found.lineage[0]
    bases = {
        ast.unparse(base).rpartition(".")[2] for owner in found.lineage for base in owner.bases
    }
    return Layer(
        name,
        provider.name,
        provider.version,
        ast.get_docstring(node) or "",
        constructor_arguments(found),
        "HybridBlock" if "HybridBlock" in bases else "Block",
    )
