"""Type stubs of installed operators and layers, for completion and type checkers.

They form a partial stub package (PEP 561), ``opforge-stubs``, with the modules whose names come
from plugins; type checkers find all others in opforge itself. Everything is generated from
declarations; no plugin is imported.
"""

import ast
import importlib
import keyword
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from opforge.cli.reference.declarations import (
    Layer,
    Operator,
    installed_layers,
    installed_operators,
)
from opforge.op.calling.documentation import function_doc
from opforge.op.registry.naming import normalize
from opforge.op.registry.registry import LAYERS, OPERATORS, Registry

from .function_text import constructor_text, operator_text

__all__ = ["PACKAGE", "stub_texts"]

PACKAGE = "opforge-stubs"
_ROOT = "opforge"
_HEAD = '"""Written by ``opforge stubs``; do not edit."""\n\n'
_TYPES = (
    "from collections.abc import Callable, Iterable, Mapping, Sequence\n"
    "from typing import Any, Literal\n"
)
_ARRAY = ("out: NDArray | None = None", "name: str | None = None")
_SYMBOL = ("name: str | None = None", "attr: dict[str, str] | None = None", "out: Any = None")


def stub_texts() -> dict[str, str]:
    """Return the text of each file of the stub package.

    Examples
    --------
    >>> "def tile(data: NDArray" in stub_texts()["opforge-stubs/ndarray/op.pyi"]
    True
    """
    operators = _resolve_providers(installed_operators(), OPERATORS)
    layers = _resolve_providers(installed_layers(), LAYERS)
    pages = {
        "__init__": _package(),
        "plugin_api": _HEAD + _reexports("plugin_api") + _layer_function(),
        "nd": _HEAD + "from .ndarray import *\n",
        "ndarray/__init__": _namespace("ndarray", operators),
        "ndarray/op": _functions(operators, "from ..ndarray import NDArray\n", "NDArray", _ARRAY),
        "symbol/__init__": _namespace("symbol", operators),
        "symbol/op": _functions(operators, "from ..symbol import Symbol\n", "Symbol", _SYMBOL),
        "gluon/__init__": _HEAD + _reexports("gluon"),
        "gluon/nn/__init__": _layer_classes(layers),
        "typing": _operators_class(operators),
    }
    for space in ("ndarray", "symbol"):
        pages[f"{space}/_internal"] = _prefixed_functions(operators, "_", keep=True)
        pages[f"{space}/contrib"] = _prefixed_functions(operators, "_contrib_")
        pages[f"{space}/linalg"] = _prefixed_functions(operators, "_linalg_")
    texts = {f"{PACKAGE}/{name}.pyi": text for name, text in sorted(pages.items())}
    return {**texts, f"{PACKAGE}/py.typed": "partial\n"}


def _resolve_providers(found: Iterable[Any], table: Registry) -> dict[str, list[Any]]:
    """Return the selected provider of each name, or all candidates of an ambiguous name."""
    by_name: dict[str, list[Any]] = defaultdict(list)
    for contribution in found:
        if contribution.name.isidentifier() and not keyword.iskeyword(contribution.name):
            by_name[contribution.name].append(contribution)
    for name, candidates in by_name.items():
        wanted = normalize(table.explain(name).provider)
        decided = [c for c in candidates if normalize(_provider(c)) == wanted]
        by_name[name] = decided or candidates
    return by_name


def _provider(contribution: Operator | Layer) -> str:
    return (
        contribution.provider
        if isinstance(contribution, Layer)
        else str(contribution.entry.provider)
    )


def _functions(
    operators: Mapping[str, list[Operator]], imports: str, array: str, last: tuple[str, ...]
) -> str:
    parts = [_HEAD, _TYPES, imports]
    for name, candidates in operators.items():
        text = "(*args: Any, **kwargs: Any) -> Any"
        if len(candidates) == 1:
            text = operator_text(candidates[0], array, array, last)
        parts.append(f"\ndef {name}{text}:\n{_docstring(_doc(candidates), 4)}    ...\n")
    return "".join(parts)


def _operators_class(operators: Mapping[str, list[Operator]]) -> str:
    """Return the module with `F`, whose operators return the type of their inputs."""
    parts = [_HEAD, _TYPES, "from typing import TypeVar\n\n"]
    parts += ['_T = TypeVar("_T")\n\nclass Operators:\n']
    parts += ['    """The namespace `F`: operators of arrays or of symbols."""\n']
    for name, candidates in operators.items():
        text = "(self, *args: Any, **kwargs: Any) -> Any"
        if len(candidates) == 1:
            has_input = candidates[0].prop_class.arguments
            result = "_T" if has_input else "Any"
            text = operator_text(candidates[0], "_T", result, (_SYMBOL[0],), "self")
        parts.append(f"\n    def {name}{text}:\n{_docstring(_doc(candidates), 8)}        ...\n")
    return "".join(parts)


def _doc(candidates: list[Operator]) -> str:
    if len(candidates) == 1:
        return function_doc(candidates[0].entry)
    names = ", ".join(candidate.entry.provider for candidate in candidates)
    return f"Provided by {names}: pin one of them with OPFORGE_PIN."


def _docstring(text: str, indent: int) -> str:
    """Return `text` as a docstring, with quotes escaped."""
    space = " " * indent
    safe = text.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if safe.endswith('"'):
        safe = f'{safe[:-1]}\\"'
    lines = [f'{space}"""{safe}'.splitlines()[0], *(space + ln for ln in safe.splitlines()[1:])]
    body = "\n".join(line.rstrip() for line in lines)
    return f'{body}\n{space}"""\n' if len(lines) > 1 else f'{body}"""\n'


def _package() -> str:
    """Return the stub of the package `opforge`, which loads modules and names lazily."""
    return _HEAD + _reexports("")


def _namespace(module: str, operators: Mapping[str, Any]) -> str:
    """Return the stub of `nd` or `sym`: its own names, then the operators."""
    text = _reexports(module)
    own = set(_names_bound(text))
    doors = ["_internal", "contrib", "linalg", "op"]
    lines = [f"from . import {door} as {door}\n" for door in doors]
    lines.append("from . import op as sparse\n")
    lines += [f"from .op import {n} as {n}\n" for n in operators if n not in {*own, *doors}]
    return _HEAD + text + "".join(lines)


def _prefixed_functions(operators: Mapping[str, Any], prefix: str, keep: bool = False) -> str:
    names = {name: name if keep else name.removeprefix(prefix) for name in operators}
    lines = [
        f"from .op import {n} as {s}\n" for n, s in names.items() if n.startswith(prefix) and s
    ]
    return _HEAD + "".join(lines)


def _layer_classes(layers: Mapping[str, list[Layer]]) -> str:
    parts = [_HEAD, _TYPES, _reexports("gluon.nn")]
    for name, candidates in layers.items():
        layer = candidates[0]
        maker, doc = "(self, *args: Any, **kwargs: Any)", layer.text
        if len(candidates) == 1 and not layer.problem:
            maker = constructor_text(layer)
        parts.append(f"\nclass {name}({layer.base}):\n{_docstring(doc or name, 4)}")
        parts.append(f"    def __init__{maker} -> None: ...\n")
    return "".join(parts)


def _layer_function() -> str:
    return "from typing import Any\n\ndef layer(name: str) -> Any: ...\n"


def _reexports(module: str) -> str:
    """Return the imports of a package of opforge, including lazy ones."""
    full = f"{_ROOT}.{module}".rstrip(".")
    loaded: Any = importlib.import_module(full)
    lines = []
    for node in ast.parse(Path(loaded.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            origin = _origin(full, node)
            names = [(a.name, a.asname or a.name) for a in node.names]
            if names == [("*", "*")]:
                names = [(name, name) for name in importlib.import_module(origin).__all__]
            public = [(name, alias) for name, alias in names if not alias.startswith("_")]
            lines += [f"from {origin} import {name} as {alias}" for name, alias in public]
    lines += _lazy_imports(loaded, full)
    return "".join(f"{line}\n" for line in lines)


def _origin(package: str, node: ast.ImportFrom) -> str:
    """Return the absolute name of the module that a relative import names."""
    is_package = hasattr(importlib.import_module(package), "__path__")
    parts = package.split(".")
    kept = parts[: len(parts) - node.level + is_package]
    return ".".join([*kept, *filter(None, [node.module])])


def _lazy_imports(loaded: Any, full: str) -> list[str]:
    """Return imports for the tables from which a module's ``__getattr__`` serves names."""
    own = hasattr(loaded, "__path__")
    package = full if own else full.rpartition(".")[0]
    # Pyright resolves `from . import x` in a package to another name.
    source = "." if own else package
    lines = []
    modules = getattr(loaded, "_MODULES", {})
    for name, target in (modules if isinstance(modules, dict) else {m: m for m in modules}).items():
        lines.append(f"from {source} import {target} as {name}")
    for table in (getattr(loaded, "_NAMES", {}), getattr(loaded, "_LAZY", {})):
        for name, (target, attribute) in table.items():
            where, _, last = f"{package}.{target}".rpartition(".")
            line = f"from {package}.{target} import {attribute}" if attribute else ""
            lines.append(f"{line or f'from {where} import {last}'} as {name}")
    return lines


def _names_bound(text: str) -> list[str]:
    return [line.rpartition(" as ")[2] for line in text.splitlines() if " as " in line]
