"""`quantize_symbol`: the graph that computes a network in 8-bit integers.

Each selected node is replaced by its quantized form. Its inputs are data, then the two ends of the
range of each. Real inputs are quantized, and integers that other nodes read are dequantized.
"""

from collections.abc import Collection, Iterable
from typing import Any

from .fusing import MARK, Layer, Readers, layers_of, readers_of
from .marking import quantized_nodes
from .rows import Entry, Graph, Node
from .rules import (
    ASYMMETRIC,
    CALIBRATED_INPUTS,
    DEQUANTIZE,
    FILTERS,
    QUANTIZE,
    REQUANTIZE,
    SCALE,
    Rule,
    has_calibrated_output,
)

__all__ = ["quantize_symbol"]


def quantize_symbol(
    sym: Any,
    ctx: Any = None,
    excluded_symbols: Collection[str] | None = None,
    excluded_operators: Collection[str] | None = None,
    offline_params: Iterable[str] | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    is_calibrated: bool = True,
) -> tuple[Any, list[str]]:
    """Return the graph in 8-bit integers, and the names of the values whose ranges it needs.

    Parameters
    ----------
    sym : Symbol
        Graph in float32.
    ctx : Context, optional
        Accepted for compatibility with MXNet.
    excluded_symbols, excluded_operators : collection of str, optional
        Names of nodes and operators that stay in float32.
    offline_params : iterable of str, optional
        Parameters that will be stored as integers: ``fc_weight`` as ``fc_weight_quantize``, with a
        range ``fc_weight_quantize_min`` and ``fc_weight_quantize_max``; filters of layers with
        marks as ``conv_weight_int8``, with ``conv_weight_int8_scale``.
    quantized_dtype : {"int8", "uint8", "auto"}
        Type of quantized data.
    quantize_mode : {"smart", "full"}
        full: quantize all that can be; smart: cheap operators only between expensive ones.
    quantize_granularity : {"tensor-wise", "channel-wise"}
        Accepted for compatibility with MXNet; ranges are those of whole arrays.
    is_calibrated : bool, default True
        Whether ranges will be set; otherwise operators that need them are left out.
    """
    graph = Graph.of(sym)
    selected = quantized_nodes(
        graph, quantize_mode, excluded_symbols or (), excluded_operators or (), is_calibrated
    )
    readers = readers_of(graph)
    excluded = {*(excluded_symbols or ()), *(excluded_operators or ())}
    layers = layers_of(graph, selected, readers, excluded) if is_calibrated else []
    made = _Rewriting(selected, layers, readers, quantized_dtype, set(offline_params or ()))
    return made.of(graph)


class _Rewriting:
    """A graph under construction.

    `_made` has the node of the new graph for each one that returns real numbers. For values,
    `_integers` has the quantized form, an entry with the ends of its range, and `_shifted` the one
    with a scale and a shift.
    """

    def __init__(
        self,
        selected: dict[Node, Rule],
        layers: list[Layer],
        readers: Readers,
        dtype: str,
        offline: Collection[str],
    ) -> None:
        self._offline = offline
        self._filters: dict[Node, list[Entry]] = {}
        self._selected = selected
        self._layers = {layer.last: layer for layer in layers}
        self._inner = {node for layer in layers for node in layer.nodes[:-1]}
        self._readers = readers
        self._dtype = dtype
        self._made: dict[Node, Node] = {}
        self._integers: dict[tuple[Node, int], list[Entry]] = {}
        self._shifted: dict[tuple[Node, int], list[Entry]] = {}
        self._reals: dict[tuple[Node, int], Entry] = {}
        #: Node of the new graph -> the original node that it computes.
        self._original: dict[Node, Node] = {}

    def of(self, graph: Graph) -> tuple[Any, list[str]]:
        """Return the symbol, and the names of the values to calibrate."""
        for node in graph.nodes():
            rule = self._selected.get(node)
            if node in self._inner:
                continue
            if node in self._layers:
                self._quantize_layer(self._layers[node])
            elif rule is None:
                self._keep(node)
            elif self._can_clip(node, rule):
                self._clip(node)
            else:
                self._quantize(node, rule)
        outputs = [self._real(entry) for entry in graph.outputs]
        made = Graph(outputs, graph.attributes)
        _store_parameters(made, self._offline)
        return made.symbol(), self._calibrated_names(made)

    def _keep(self, node: Node) -> None:
        inputs = [self._real(entry) for entry in node.inputs]
        rest = dict(node.rest)
        attributes = _without_mark(node)
        copy = Node(node.operator, node.name, attributes, inputs, node.output_names, rest)
        self._made[node] = copy
        self._original[copy] = node

    def _can_clip(self, node: Node, rule: Rule) -> bool:
        """Return whether a ReLU is the only reader of int32 sums that become uint8."""
        source = node.inputs[0].node if rule.is_relu else None
        if source not in self._selected or self._dtype == "int8":
            return False
        is_sum = self._selected[source].is_wide and source not in self._layers
        return is_sum and len(self._readers[source]) == 1

    def _clip(self, node: Node) -> None:
        """Leave a ReLU to the conversion of its input to uint8, which has no negative numbers.

        The nodes get the name of the ReLU, whose range they need.
        """
        integers = self._integers[node.inputs[0]]
        made = integers[0].node
        made.name, made.attributes["out_type"] = f"requantize_{node.name}", "uint8"
        made.inputs[0].node.name = f"quantized_{node.name}"
        self._original[made] = node
        self._integers[node, 0] = integers

    def _quantize(self, node: Node, rule: Rule) -> None:
        arrays: list[Entry] = []
        ranges: list[Entry] = []
        for at, entry in enumerate(node.inputs):
            if at in rule.real_inputs:
                arrays.append(self._real(entry))
                continue
            found = self._shifted_integer(entry) if rule.is_recurrent else self._integer(entry)
            data, low, high = found
            arrays.append(data)
            ranges += [low, high]
        first_state = len(arrays) - rule.n_states
        inputs = [*arrays[:first_state], *ranges, *arrays[first_state:]]
        made = Node(rule.operator, f"quantized_{node.name}", _without_mark(node), inputs)
        if rule.is_wide:
            attributes = {"out_type": self._dtype}
            outputs = [Entry(made, index) for index in range(3)]
            made = Node(REQUANTIZE, f"requantize_{node.name}", attributes, outputs)
        self._original[made] = node
        if rule.is_recurrent:
            self._made[node] = made
            return
        self._integers[node, 0] = [Entry(made, index) for index in range(3)]

    def _quantize_layer(self, layer: Layer) -> None:
        """Add the operator of a layer; a dense one that no integers need returns real numbers."""
        data, *ranges = self._integer(layer.first.inputs[0])
        weight, *bias = layer.first.inputs[1:]
        filters = self._stored_filters(weight)
        arrays = [data, *(filters or [self._real(weight)]), *map(self._real, bias)]
        if layer.other is not None:
            other, *other_ranges = self._integer(layer.other)
            arrays.append(other)
            ranges += other_ranges
        is_real = layer.is_dense and not any(map(self._is_quantized, self._readers[layer.last]))
        kind = "float32" if is_real else "uint8" if layer.has_relu else "int8"
        attributes = {**layer.attributes(), "with_scale": str(bool(filters)), "out_type": kind}
        made = Node(layer.operator, f"quantized_{layer.last.name}", attributes, [*arrays, *ranges])
        self._original[made] = layer.last
        if is_real:
            self._made[layer.last] = made
        else:
            self._integers[layer.last, 0] = [Entry(made, index) for index in range(3)]

    def _stored_filters(self, weight: Entry) -> list[Entry]:
        """Return variables for the integers of filters and their scales; none if computed."""
        if weight.node.name not in self._offline or not weight.node.is_variable:
            return []
        if weight.node not in self._filters:
            names = weight.node.name + FILTERS, weight.node.name + FILTERS + SCALE
            made = [Entry(Node("", name, output_names=[name])) for name in names]
            self._filters[weight.node] = made
        return self._filters[weight.node]

    def _is_quantized(self, node: Node | None) -> bool:
        return node in self._selected or node in self._inner or node in self._layers

    def _integer(self, entry: Entry) -> list[Entry]:
        """Return the integers of an entry and the ends of their range."""
        if entry not in self._integers:
            made = Node(QUANTIZE, _name(entry), {"out_type": self._dtype}, [self._real(entry)])
            self._integers[entry] = [Entry(made, index) for index in range(3)]
        return self._integers[entry]

    def _shifted_integer(self, entry: Entry) -> list[Entry]:
        """Return the integers of an entry with their scale and shift."""
        if entry not in self._shifted:
            made = Node(ASYMMETRIC, _name(entry), {}, [self._real(entry)])
            self._shifted[entry] = [Entry(made, index) for index in range(3)]
        return self._shifted[entry]

    def _real(self, entry: Entry) -> Entry:
        """Return the real numbers of an entry."""
        if entry.node in self._made:
            return Entry(self._made[entry.node], entry.output)
        if entry not in self._reals:
            inputs = self._integers[entry]
            made = Node(DEQUANTIZE, f"{entry.node.name}_dequantize", {}, list(inputs))
            self._reals[entry] = Entry(made)
        return self._reals[entry]

    def _calibrated_names(self, graph: Graph) -> list[str]:
        found = []
        for node in graph.nodes():
            if node.operator in CALIBRATED_INPUTS:
                source = node.inputs[0]
                original = self._original.get(node) or self._original.get(source.node)
                found.append(Entry(original or source.node, source.output).name)
            elif has_calibrated_output(node):
                found.append(Entry(self._original[node]).name)
        return found


def _without_mark(node: Node) -> dict[str, str]:
    """Return the attributes of a node, without that of `mark_layers`."""
    return {name: value for name, value in node.attributes.items() if name != MARK}


def _name(entry: Entry) -> str:
    """Return the name of the node that quantizes an entry."""
    return f"{entry.node.name if entry.node.is_variable else entry.name}_quantize"


def _store_parameters(graph: Graph, offline: Collection[str]) -> None:
    """Replace quantized parameters and their ranges by variables."""
    variables: dict[Entry, Entry] = {}

    def stored(entry: Entry) -> Entry:
        node = entry.node
        source = node.inputs[0].node if node.operator == QUANTIZE else None
        if source is None or not source.is_variable or source.name not in offline:
            return entry
        if entry not in variables:
            name = node.name + ("", "_min", "_max")[entry.output]
            variables[entry] = Entry(Node("", name, output_names=[name]))
        return variables[entry]

    for node in graph.nodes():
        node.inputs = list(map(stored, node.inputs))
