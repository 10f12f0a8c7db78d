"""Requirements and contents of a saved model, read from its file without building it.

A graph is described by its bill of materials or, in files of MXNet and old versions that have none,
by the names of its operators; a file of arrays by names, shapes and types.
"""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

from ... import plugin
from ...base.dtypes import ITEMSIZES, NAMES
from ...base.errors import OpforgeError, SymbolFileError
from ...ndarray.array_headers import read_headers
from ...ndarray.safetensors_bytes import SUFFIX
from ...op.registry import registry
from ...op.registry.entry import CORE
from ...op.registry.missing import not_found_error
from ...plugin.source import read_declaration
from ...symbol.files.bill_of_materials import Material, read_bill
from ...symbol.files.requirements import Finding, examine, install_line
from ...symbol.files.saving import OPERATOR_VERSION

__all__ = ["explain"]

Report = dict[str, Any]
#: First bytes of a file of arrays.
_ARRAYS = (0x112).to_bytes(8, "little")


def explain(path: Path) -> Report:
    """Return the requirements and contents of a model file, ready for JSON.

    Parameters
    ----------
    path : Path
        A graph (``prefix-symbol.json``) or arrays (``prefix-0001.params``).

    Returns
    -------
    dict
        ``kind`` is ``"symbol"`` or ``"arrays"``; ``loadable`` is whether all requirements of a
        graph are installed.

    Raises
    ------
    OpforgeError
        The file is neither, or damaged.
    """
    with path.open("rb") as file:
        start = file.read(len(_ARRAYS))
    if start == _ARRAYS or path.suffix == SUFFIX:
        return _arrays(path)
    if start.lstrip()[:1] == b"{":
        return _graph(path)
    raise OpforgeError(
        f"{path} is neither a graph (JSON) nor a file of arrays (.params); nothing was executed. "
        "Formats such as pickle run code when they are read and are not supported"
    )


def _arrays(path: Path) -> Report:
    headers = read_headers(path)
    sizes = dict(zip(NAMES, ITEMSIZES, strict=True))
    return {
        "file": str(path),
        "kind": "arrays",
        "loadable": True,
        "count": len(headers),
        "bytes": sum(math.prod(h.shape) * sizes[h.dtype] for h in headers),
        "arrays": [{"name": h.name, "shape": list(h.shape), "dtype": h.dtype} for h in headers],
    }


def _graph(path: Path) -> Report:
    graph, rows = _read(path)
    try:
        bill = read_bill(graph.get("attrs"))
    except SymbolFileError as error:
        raise SymbolFileError(f"{path}: {error}") from None
    uses = Counter(_operator(row) for row in rows)
    inputs = [str(row.get("name")) for row in rows if row.get("op") == "null"]
    del uses["null"]
    findings = [*examine(bill), *_unlisted_operators(uses, {material.name for material in bill})]
    written = _written_versions(rows)
    operators = [_operator_row(finding, uses, written) for finding in findings]
    return {
        "file": str(path),
        "kind": "symbol",
        "loadable": not any(row["fatal"] for row in operators),
        "mxnet_version": _mxnet_version(graph),
        "has_bill": bool(bill),
        "nodes": len(rows),
        "primitive": {name: n for name, n in sorted(uses.items()) if _is_primitive(name, bill)},
        "operators": operators,
        "inputs": inputs,
        "install": install_line(findings),
    }


def _read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        graph = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"), strict=False)
    except (ValueError, RecursionError) as error:
        raise SymbolFileError(f"{path} is not valid JSON: {error}") from None
    rows = graph.get("nodes") if isinstance(graph, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SymbolFileError(f"{path} is JSON but not a graph: it has no list of nodes")
    return graph, rows


def _attributes(row: dict[str, Any]) -> dict[str, Any]:
    """Return a node's attributes: "attrs", "attr" before MXNet 1.0, also "param" before 0.9."""
    parts = [row.get(key) for key in ("param", "attr", "attrs")]
    return {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}


def _operator(row: dict[str, Any]) -> str:
    """Return the operator name of a node; for ``Custom``, its ``op_type``."""
    name = str(row.get("op"))
    return str(_attributes(row).get("op_type")) if name == "Custom" else name


def _written_versions(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Return the operator versions that nodes require, if not 1."""
    found: dict[str, int] = {}
    for row in rows:
        text = str(_attributes(row).get(OPERATOR_VERSION, ""))
        if text.isdecimal():
            found[_operator(row)] = max(int(text), found.get(_operator(row), 1))
    return found


def _mxnet_version(graph: dict[str, Any]) -> str:
    attributes = graph.get("attrs")
    value = attributes.get("mxnet_version") if isinstance(attributes, dict) else None
    number = value[1] if isinstance(value, list) and len(value) == 2 else None
    if not isinstance(number, int):
        return "before 0.9"
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _is_primitive(name: str, bill: list[Material]) -> bool:
    listed = any(material.name == name for material in bill)
    return not listed and CORE in registry.OPERATORS.providers(name)


def _unlisted_operators(uses: Counter[str], listed: set[str]) -> list[Finding]:
    """Return a finding for each operator that is neither in the bill nor primitive."""
    found = []
    for name in sorted(set(uses) - listed):
        if CORE in registry.OPERATORS.providers(name):
            continue
        states = {
            state.provider.key: state
            for state in plugin.states()
            if name in state.provider.provides["operator"] and state.state != "disabled"
        }
        if states or name in registry.custom_names():
            provider = next(iter(states.values())).provider if len(states) == 1 else None
            material = Material(name, provider.name if provider else "")
            found.append(Finding(material, "ok", provider.version if provider else ""))
        else:
            report = plugin.RESOLVER.report("operator", name)
            error = not_found_error("operator", name, registry.names(), report)
            found.append(Finding(Material(name), "missing", "", str(error)))
    return found


def _operator_row(finding: Finding, uses: Counter[str], written: dict[str, int]) -> Report:
    material = finding.material
    wanted = max(material.operator_version, written.get(material.name, 1))
    here = _version_here(material)
    state, text = finding.state, finding.text
    too_old = here is not None and not finding.fatal and here < wanted
    if too_old:
        state = "too old"
        text = f"operator {material.name!r} has version {here} here, expected {wanted}; upgrade "
        text += material.provider
    return {
        "name": material.name,
        "count": uses[material.name],
        "provider": material.provider,
        "version": material.version,
        "operator_version": wanted,
        "record": material.record,
        "abi": material.abi,
        "state": state,
        "fatal": finding.fatal or too_old,
        "installed": finding.installed,
        "installed_operator_version": here,
        "text": text,
    }


def _version_here(material: Material) -> int | None:
    """Return the installed version of an operator, from the registry or from source."""
    for provider, entry in registry.OPERATORS.providers(material.name).items():
        if not material.provider or provider == material.provider:
            return int(getattr(entry.prop_class, "version", 1))
    for state in plugin.states():
        value = state.provider.provides["operator"].get(material.name)
        if value and state.provider.name == material.provider:
            source = read_declaration(value, material.name)
            version = source.fields.get("version", 1)
            return version if source.line and isinstance(version, int) else None
    return None
