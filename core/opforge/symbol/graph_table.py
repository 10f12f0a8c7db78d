"""Notebook representation of a symbol: its nodes in topological order."""

from collections.abc import Iterator
from typing import Any

from ..base.html_tables import html_cell, html_table, html_text
from .node import Node

__all__ = ["graph_html"]

_MOST_ROWS = 200
_MOST_INPUTS = 12
_LONGEST = 200
_LEFT = "text-align:left"


def graph_html(symbol: Any) -> str:
    """Return an HTML table of the nodes of a symbol, in topological order.

    Parameters
    ----------
    symbol : Symbol
        Only the first 200 nodes are shown.

    Examples
    --------
    >>> from opforge import sym
    >>> "broadcast_add" in graph_html(sym.broadcast_add(sym.var("a"), sym.var("b")))
    True
    """
    nodes = symbol.nodes()
    outputs = [node.name for node, _ in symbol.edges]
    table = html_table(map(_row, nodes), ("node", "operator", "inputs", "attributes"), _MOST_ROWS)
    return html_text(f"Symbol of {len(nodes)} nodes; outputs: {_join_names(outputs)}") + table


def _row(node: Node) -> Iterator[str]:
    operation = node.operation
    attributes = {} if operation is None else operation.attributes
    texts = (
        node.name,
        "variable" if operation is None else operation.name,
        _join_names([source.name for source, _ in node.inputs]),
        ", ".join(f"{key}={value}" for key, value in attributes.items())[:_LONGEST],
    )
    return (html_cell(text, _LEFT) for text in texts)


def _join_names(names: list[str]) -> str:
    more = ["…"] if len(names) > _MOST_INPUTS else []
    return ", ".join([*names[:_MOST_INPUTS], *more])
