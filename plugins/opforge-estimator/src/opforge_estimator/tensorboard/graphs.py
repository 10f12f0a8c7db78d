"""Graphs of symbols in the format of TensorBoard."""

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from opforge.plugin_api import HybridBlock, sym

from ..arrays import record_symbols

__all__ = ["block_graph", "symbol_graph"]


def block_graph(net: Any, inputs: Sequence[Any]) -> Any:
    """Return the graph of a block for inputs of these shapes; its nodes are grouped by layer.

    Raises
    ------
    TypeError
        `net` is not a HybridBlock.
    """
    if not isinstance(net, HybridBlock):
        raise TypeError(
            f"add_graph: got {type(net).__name__}, expected a Symbol or a HybridBlock: only their "
            "calls can be recorded as a graph"
        )
    symbols = record_symbols(net, inputs, "data")
    return symbol_graph(symbols[0] if len(symbols) == 1 else sym.Group(symbols), _prefixes(net))


def symbol_graph(symbol: Any, prefixes: Sequence[str] = ()) -> Any:
    """Return the graph of a Symbol.

    Parameters
    ----------
    symbol : Symbol
    prefixes : sequence of str
        Prefixes of names whose nodes form a group, the longest ones first.

    Raises
    ------
    TypeError
        It is not a Symbol.
    """
    if not isinstance(symbol, sym.Symbol):
        raise TypeError(f"add_graph: got {type(symbol).__name__}, expected a Symbol")
    graph = import_module("tensorboard.compat.proto.graph_pb2").GraphDef()
    graph.versions.producer = 22  # of the graphs that TensorBoard expects
    nodes = json.loads(symbol.tojson())["nodes"]
    paths = [_path(node["name"], prefixes) for node in nodes]
    for path, node in zip(paths, nodes, strict=True):
        made = graph.node.add(name=path, op="Variable" if node["op"] == "null" else node["op"])
        made.input.extend(
            paths[index] if output == 0 else f"{paths[index]}:{output}"
            for index, output, *_ in node["inputs"]
        )
        for key, value in (node.get("attrs") or {}).items():
            made.attr[key].s = str(value).encode()
    return graph


def _prefixes(block: Any) -> list[str]:
    """Return the prefixes of a block and its descendants, the longest ones first."""
    found: set[str] = set()
    block.apply(lambda one: found.add(one.prefix))
    return sorted(found - {""}, key=len, reverse=True)


def _path(name: str, prefixes: Sequence[str]) -> str:
    """Return ``net/dense0/weight`` for ``net_dense0_weight``: groups nest by their prefixes."""
    parts = []
    for prefix in prefixes:
        if name.startswith(prefix) and name != prefix:
            parts.append(name[len(prefix) :])
            name = prefix
    parts.append(name)  # the outermost prefix, or the name of a node in no group
    return "/".join(part.removesuffix("_") for part in reversed(parts))
