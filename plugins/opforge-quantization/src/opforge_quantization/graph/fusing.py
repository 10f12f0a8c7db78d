"""Layers that become one operator: a convolution or product with what follows it.

`mark_layers` marks those of a network in float32; `layers_of` finds the nodes that each includes
when the network is quantized.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .rows import Entry, Graph, Node
from .rules import Rule, value_of

__all__ = ["MARK", "Layer", "layers_of", "mark_layers", "readers_of"]

#: Attribute of the first node of a layer.
MARK = "__int8_layer__"

_OPERATORS = {"Convolution": "_int8_convolution", "FullyConnected": "_int8_dense"}
_CONVOLUTION_ATTRIBUTES = ("kernel", "stride", "dilate", "pad", "num_filter", "num_group")
_ATTRIBUTES = {"Convolution": _CONVOLUTION_ATTRIBUTES, "FullyConnected": ("num_hidden", "flatten")}

Readers = Mapping[Node | None, list[Node | None]]


@dataclass
class Layer:
    """Nodes that one operator of 8-bit integers computes.

    Parameters
    ----------
    nodes : list of Node
        The convolution or product, and those that follow.
    other : Entry, optional
        Value that is added.
    has_relu : bool
        Whether the result has no negative numbers.
    """

    nodes: list[Node]
    other: Entry | None = None
    has_relu: bool = False

    @property
    def first(self) -> Node:
        """The convolution or product."""
        return self.nodes[0]

    @property
    def last(self) -> Node:
        """The node whose result is that of the layer."""
        return self.nodes[-1]

    @property
    def operator(self) -> str:
        """Name of the operator."""
        return _OPERATORS[self.first.operator]

    @property
    def is_dense(self) -> bool:
        """True for a fully connected layer."""
        return self.first.operator == "FullyConnected"

    def attributes(self) -> dict[str, str]:
        """Return the attributes of the operator, except the type and range of the result."""
        given = self.first.attributes
        kept = [name for name in (*_ATTRIBUTES[self.first.operator], "no_bias") if name in given]
        return {
            **{name: given[name] for name in kept},
            "with_sum": str(self.other is not None),
            "with_act": str(self.has_relu),
        }


def mark_layers(symbol: Any) -> Any:
    """Return a network in which layers that have an operator of their own are marked."""
    graph = Graph.of(symbol)
    for node in graph.nodes():
        if _is_layer(node):
            node.attributes = {**node.attributes, MARK: "True"}
    return graph.symbol()


def _is_layer(node: Node) -> bool:
    if node.operator == "FullyConnected":
        return True
    is_image = node.operator == "Convolution" and len(value_of(node, "kernel", ())) == 2
    return is_image and str(value_of(node, "layout", None)) in ("None", "NCHW")


def readers_of(graph: Graph) -> Readers:
    """Return the nodes that read each node, once for each input; None for an output."""
    found: dict[Node | None, list[Node | None]] = {}
    for node in graph.nodes():
        for entry in node.inputs:
            found.setdefault(entry.node, []).append(node)
    for entry in graph.outputs:
        found.setdefault(entry.node, []).append(None)
    return found


def layers_of(
    graph: Graph, selected: Mapping[Node, Rule], readers: Readers, excluded: Collection[str]
) -> list[Layer]:
    """Return the layers of a graph that has marks.

    Parameters
    ----------
    graph : Graph
    selected : mapping of Node to Rule
        Nodes to be quantized.
    readers : mapping
        From `readers_of`.
    excluded : collection of str
        Names of nodes and operators that stay in float32.
    """
    layers = [
        Layer([node]) for node in graph.nodes() if node in selected and MARK in node.attributes
    ]
    included = _Included(readers, excluded)
    for layer in layers:
        included.add_relu(layer)
    quantized = {node for node, rule in selected.items() if not rule.is_recurrent}
    quantized.update(layer.last for layer in layers)
    for layer in layers:
        if not layer.is_dense and not layer.has_relu and included.add_sum(layer, quantized):
            included.add_relu(layer)
            quantized.add(layer.last)
    return layers


class _Included:
    """Nodes that become parts of layers."""

    def __init__(self, readers: Readers, excluded: Collection[str]) -> None:
        self._readers = readers
        self._excluded = excluded
        self._found: set[Node] = set()

    def _only_reader(self, node: Node) -> Node | None:
        """Return the only node that reads a node, if it may become part of a layer."""
        readers = self._readers.get(node, [])
        reader = readers[0] if len(readers) == 1 else None
        if reader is None or reader in self._found:
            return None
        return None if {reader.name, reader.operator} & {*self._excluded} else reader

    def add_relu(self, layer: Layer) -> None:
        """Include a ReLU that follows.

        One with a bound needs no more: no integer stands for a number above the calibrated range.
        """
        node = self._only_reader(layer.last)
        if node is not None and (_is_relu(node) or (_is_bounded_relu(node) and not layer.is_dense)):
            layer.nodes.append(node)
            layer.has_relu = True
            self._found.add(node)

    def add_sum(self, layer: Layer, quantized: Iterable[Node]) -> bool:
        """Include an addition of a quantized value that follows; return whether there is one."""
        node = self._only_reader(layer.last)
        if node is None or node.operator != "elemwise_add":
            return False
        (other,) = [entry for entry in node.inputs if entry.node is not layer.last]
        if other.node not in quantized:
            return False
        layer.nodes.append(node)
        layer.other = other
        self._found.add(node)
        return True


def _is_relu(node: Node) -> bool:
    return node.operator == "relu" or node.attributes.get("act_type") == "relu"


def _is_bounded_relu(node: Node) -> bool:
    if node.operator != "clip":
        return False
    return value_of(node, "a_min", None) == 0 and value_of(node, "a_max", 0) > 0
