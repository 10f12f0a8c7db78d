"""Bill of materials of a graph: the operators it needs beyond the primitive ones, and providers.

A saved graph stores it among its attributes as a list of strings, one JSON text per operator, which
MXNet 1.9.1 reads and ignores. A graph of primitive operators has none. Reading a bill runs no code
of the file; names and versions are validated because error messages put them into commands that
users paste into a shell.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import Any

from ...base.errors import SymbolFileError
from ...op.registry.entry import CORE
from ...op.registry.naming import is_distribution_name, is_version
from ..node import Node

__all__ = ["BILL", "Material", "bill_of", "contested_names", "read_bill", "record_hash"]

#: Key of the bill in the "attrs" of a graph.
BILL = "opforge_operators"

_RECORD = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Material:
    """One operator that a graph needs.

    Parameters
    ----------
    name : str
        Name of the operator; for a node ``Custom``, its ``op_type``.
    provider, version : str
        Distribution and its version; both empty if the program itself registered the operator.
    operator_version : int
        Version of the operator's semantics.
    record : str
        ``sha256:`` and the digest of the distribution's RECORD, which lists the digest of each of
        its files; empty if unknown.
    abi : str
        For a native operator, the version of opforge's C interface that it was built for.
    defined_by : str
        Class of an operator that no distribution provides.
    """

    name: str
    provider: str = ""
    version: str = ""
    operator_version: int = 1
    record: str = ""
    abi: str = ""
    defined_by: str = ""

    def tojson(self) -> str:
        """Return the JSON text that is stored in a file; empty fields are left out."""
        return json.dumps({k: v for k, v in asdict(self).items() if v != ""}, ensure_ascii=False)


def bill_of(nodes: Iterable[Node]) -> list[Material]:
    """Return the operators that the nodes need, sorted by provider and name.

    Examples
    --------
    >>> from opforge import sym
    >>> bill_of([sym.exp(sym.var("x")).edges[0][0]])
    []
    >>> [material.name for material in bill_of([sym.softmax(sym.var("x")).edges[0][0]])]
    ['softmax']
    """
    found = {}
    for node in nodes:
        if node.operation is not None and node.operation.entry.provider != CORE:
            material = _material(node)
            found[material.provider, material.name, material.operator_version] = material
    return [found[key] for key in sorted(found)]


def contested_names(nodes: Iterable[Node]) -> set[str]:
    """Return the names that the nodes use for operators of more than one provider."""
    providers: dict[str, set[str]] = {}
    for node in nodes:
        if node.operation is not None and node.operation.name != "Custom":
            providers.setdefault(node.operation.name, set()).add(node.operation.entry.provider)
    return {name for name, found in providers.items() if len(found) > 1}


def read_bill(attributes: Any) -> list[Material]:
    """Return the bill in the "attrs" of a graph's JSON, or an empty list if there is none.

    Raises
    ------
    SymbolFileError
        The bill is malformed.
    """
    value = attributes.get(BILL) if isinstance(attributes, dict) else None
    if value is None:
        return []
    texts = value[1] if isinstance(value, list) and len(value) == 2 else None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise SymbolFileError(
            f"{BILL!r} of the graph is {value!r:.60}, expected ['list_str', [...]]"
        )
    return [_read(text) for text in texts]


@cache
def record_hash(distribution: str) -> str:
    """Return the digest of an installed distribution's RECORD, or an empty string."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import distribution as find

    from ...plugin import record

    try:
        return record.record_hash(find(distribution))
    except (PackageNotFoundError, ValueError, OSError):
        return ""


def _material(node: Node) -> Material:
    operation: Any = node.operation
    entry = operation.entry
    prop_class = entry.prop_class
    name = entry.name if operation.name == "Custom" else operation.name
    version = getattr(prop_class, "version", 1)
    if not entry.provider:
        where = f"{prop_class.__module__}.{prop_class.__qualname__}"
        return Material(name, operator_version=version, defined_by=where)
    record = record_hash(entry.provider)
    abi = getattr(prop_class, "abi_version", "")
    return Material(name, entry.provider, entry.version, version, record, abi)


@lru_cache(1000)  # the same in all files of one installation
def _read(text: str) -> Material:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise SymbolFileError(f"{BILL!r} of the graph has {text!r:.60}, expected a JSON object")
    # Ignore fields of later versions of opforge.
    known = {key: row[key] for key in Material.__dataclass_fields__ if key in row}
    version = known.pop("operator_version", 1)
    if not known.get("name") or not all(isinstance(value, str) for value in known.values()):
        raise SymbolFileError(
            f"{BILL!r} of the graph has {text!r:.60}, expected strings with a name"
        )
    material = Material(operator_version=version, **known)
    for value, right in (
        (material.provider, is_distribution_name(material.provider)),
        (material.version, is_version(material.version)),
        (material.record, _RECORD.fullmatch(material.record)),
    ):
        if value and not right:
            raise SymbolFileError(
                f"{BILL!r} of the graph has {value!r:.60} for {material.name!r:.60}, which is not "
                "a name or version of a distribution"
            )
    if type(version) is not int or version < 1:
        raise SymbolFileError(
            f"{BILL!r} of the graph has the operator version {version!r:.60} for "
            f"{material.name!r:.60}, expected a positive int"
        )
    return material
