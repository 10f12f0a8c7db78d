"""Nodes that stand for operators of opforge; see `Mark`."""

from typing import Any

from opforge.plugin_api import sym

from ..node import Node

__all__ = ["call_operator"]


def call_operator(node: Node) -> Any:
    """Return the result of the operator whose name is the type of the node."""
    operator = getattr(sym._internal, node.kind, None) or getattr(sym, node.kind, None)
    if operator is None:
        node.fail(
            "the file was exported from an operator that is not installed",
            "install the distribution that provides it",
        )
    return operator(*node.symbols(), name=node.name, **node.attributes())
