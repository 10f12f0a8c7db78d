"""`Mark`: the operator of opforge that several nodes of a file compute.

The import calls it instead of translating the nodes, as the shapes of their results may depend on
values.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from onnx import GraphProto, NodeProto, helper

from .errors import ImportModelError

__all__ = ["DOMAIN", "Mark", "restore_marked"]

_KEY = "opforge.operator"
#: Domain of nodes that stand for operators of opforge.
DOMAIN = "opforge.operators"


class Mark(NamedTuple):
    """Operator, names of its inputs, and its attributes."""

    operator: str
    inputs: list[str]
    attributes: dict[str, str]

    def renamed(self, names: Mapping[str, str]) -> "Mark":
        """Return the mark with other names of the inputs."""
        return self._replace(inputs=[names.get(name, name) for name in self.inputs])

    def add_to(self, node: NodeProto) -> None:
        """Store the mark in the metadata of the node that computes the result."""
        node.metadata_props.add(key=_KEY, value=json.dumps(self))


def restore_marked(graph: GraphProto) -> None:
    """Replace nodes that are marked by calls of the operator, and drop nodes that nothing reads.

    Parameters
    ----------
    graph : onnx.GraphProto
        Is changed.
    """
    known = {item.name for items in (graph.input, graph.initializer) for item in items}
    known.update(name for node in graph.node for name in node.output)
    # Another program may have replaced the nodes that computed the inputs of an operator.
    calls = map(_call_of, graph.node)
    marked = [call if call and known.issuperset(call.input) else None for call in calls]
    if not any(marked):
        return
    nodes = [call or node for call, node in zip(marked, graph.node, strict=True)]
    read = {info.name for info in graph.output}
    needed = []
    for node in reversed(nodes):
        if read.isdisjoint(node.output):
            continue
        needed.append(node)
        read.update(_inputs_of(node))
    del graph.node[:]
    graph.node.extend(reversed(needed))


def _call_of(node: NodeProto) -> NodeProto | None:
    """Return the call of the operator that a node is marked with; None if it is not marked."""
    for item in node.metadata_props:
        if item.key == _KEY:
            try:
                mark = Mark(*json.loads(item.value))
                return helper.make_node(
                    mark.operator,
                    mark.inputs,
                    node.output,
                    node.name,
                    domain=DOMAIN,
                    **mark.attributes,
                )
            except Exception as error:
                raise ImportModelError(
                    f"import of ONNX: node {node.name!r} has the mark {item.value!r}, which is no "
                    f"operator with inputs and attributes ({error})"
                ) from error
    return None


def _inputs_of(node: NodeProto) -> set[str]:
    """Return what a node reads, in graphs inside of it too."""
    found = set(node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                found |= _inputs_of(inner)
            found |= {info.name for info in graph.output}
    return found
