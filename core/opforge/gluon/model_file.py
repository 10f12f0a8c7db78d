"""Files of entire models, ``prefix-model.json`` and ``prefix-model.params``, in MXNet's format.

The first contains the names of all blocks, and the graphs of hybridized ones. It creates no blocks:
the program that loads it must have created them in the same order.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from ..base.errors import OpforgeError
from ..base.files import replacing, replacing_together

__all__ = ["load_model", "save_model"]


def save_model(block: Any, prefix: str) -> None:
    """Write the names, graphs and parameters of a block; see `Block.save`."""
    structure: dict[str, Any] = {}
    _describe(block, itertools.count(), structure)
    with replacing_together():
        with replacing(f"{prefix}-model.json") as file:
            file.write(json.dumps(structure).encode())
        block.save_parameters(f"{prefix}-model.params")


def load_model(block: Any, prefix: str) -> None:
    """Restore names, hybridization and parameters of a block from files; see `Block.load`."""
    path = f"{prefix}-model.json"
    with open(path, encoding="utf-8") as file:
        structure = json.load(file)
    _restore(block, itertools.count(), structure, path)
    block.load_parameters(f"{prefix}-model.params")


def _key(block: Any, number: Iterator[int]) -> str:
    return f"{type(block).__name__.lower()}{next(number)}"


def _is_hybrid(block: Any) -> bool:
    """Return whether a block can run as a graph; its class is in a higher layer."""
    return hasattr(block, "_graph")


def _describe(block: Any, number: Iterator[int], structure: dict[str, Any]) -> None:
    found: dict[str, Any] = {"orig_name": block.name}
    structure[_key(block, number)] = found
    if _is_hybrid(block):
        found["hybridized"] = block._graph is not None
        if block._graph is not None and block._graph.has_trace:
            found |= _graph_of(block._graph.last_trace())
    found["children"] = {child.name: name for name, child in block._children.items()}
    for child in block._children.values():
        _describe(child, number, found)


def _graph_of(trace: Any) -> dict[str, Any]:
    variables = [node for node in trace.symbol.nodes() if node.is_variable]
    inputs = [
        type(trace.symbol)([(node, 0)]).tojson()
        for node in variables
        if node.name not in trace.parameters
    ]
    outputs = [0] * len(trace.symbol.edges)
    return {
        "in_format": [0] * len(inputs),
        "out_format": outputs if len(outputs) > 1 else 0,
        "inputs": inputs,
        "symbol": trace.symbol.tojson(remove_amp_cast=False),
    }


def _restore(block: Any, number: Iterator[int], structure: dict[str, Any], path: str) -> None:
    key = _key(block, number)
    found = structure.get(key)
    if not isinstance(found, dict) or "orig_name" not in found:
        inner = {name for name, value in structure.items() if isinstance(value, dict)}
        known = ", ".join(sorted(inner - {"children"}))
        raise OpforgeError(
            f"load: {path} has no block {key!r} for {block.name!r}; it has {known or 'none'}. "
            "Create the blocks in the same order as before save()"
        )
    _rename(block, str(found["orig_name"]))
    if _is_hybrid(block) and found.get("hybridized"):
        block.hybridize()
    for child in block._children.values():
        _restore(child, number, found, path)


def _rename(block: Any, name: str) -> None:
    """Restore the name of a block, and the prefix of its parameters."""
    prefix = f"{name}_" if name else ""
    before, block._name, block._prefix = block._prefix, name, prefix
    block._scope._prefix = prefix
    block._params.rename(before, prefix)
