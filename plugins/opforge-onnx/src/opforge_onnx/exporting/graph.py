"""`Graph`: nodes and constants of an ONNX graph under construction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, ValueInfoProto, helper

from ..marks import Mark
from .element_types import onnx_type
from .files import SMALL, little_endian
from .value import Value

__all__ = ["Graph"]

#: Constants up to this size in bytes are stored once, however often they are used.
_SHARED_BYTES = 4096
#: Name of an array, its number of dimensions and its dtype.
Info = tuple[str, int, Any]


class Graph:
    """Nodes, weights and names of an ONNX graph.

    Parameters
    ----------
    opset : int
        Version of the standard operators.
    """

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.nodes: list[NodeProto] = []
        #: Weights and constants by name.
        self.numbers: dict[str, np.ndarray] = {}
        #: Versions of other sets of operators that nodes use, by domain.
        self.domains: dict[str, int] = {}
        #: Computed arrays that are zero for all sizes of the inputs.
        self.zeros: set[str] = set()
        #: Value -> the operator that it is the result of; see `Call.mark`.
        self.marks: dict[str, Mark] = {}
        #: Inputs of the outermost graph, whose sizes all nodes may read.
        self.inputs: list[Value] = []
        self._names: set[str] = set()
        self._constants: dict[tuple[Any, ...], str] = {}
        #: Values that nodes compute.
        self._computed: set[str] = set()
        #: Value -> its name as the output of an operator or of the graph.
        self._outputs: dict[str, str] = {}

    def unique(self, name: str) -> str:
        """Return the name, with a number if it is taken, and reserve it.

        Examples
        --------
        >>> graph = Graph(21)
        >>> graph.unique("conv"), graph.unique("conv")
        ('conv', 'conv_1')
        """
        found, number = name, 0
        while found in self._names:
            number += 1
            found = f"{name}_{number}"
        self._names.add(found)
        return found

    def add_node(
        self,
        kind: str,
        inputs: Sequence[str],
        label: str,
        outputs: int = 1,
        domain: str = "",
        attributes: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Append a node and return the names of its outputs.

        Parameters
        ----------
        kind : str
            Type of the node, for instance "Conv".
        inputs : sequence of str
            Names of values; an empty one for an optional input that is missing.
        label : str
            From which the names of the node and of its outputs are derived.
        outputs : int, default 1
        domain : str, default ""
            Empty for standard operators.
        attributes : mapping of str to object, optional
            None is left out.
        """
        name = self.unique(f"{label}/{kind}")
        names = [
            self.unique(f"{name}_output" if i == 0 else f"{name}_output{i}") for i in range(outputs)
        ]
        self._computed.update(names)
        given = {key: value for key, value in (attributes or {}).items() if value is not None}
        self.nodes.append(helper.make_node(kind, inputs, names, name=name, domain=domain, **given))
        return names

    def add_weight(self, name: str, values: np.ndarray) -> str:
        """Store an array as a weight and return its name."""
        name = self.unique(name)
        self.numbers[name] = values
        return name

    def constant(self, values: np.ndarray, label: str) -> str:
        """Return the name of a constant; equal small ones are stored once."""
        if values.nbytes > _SHARED_BYTES:
            return self.add_weight(f"{label}/constant", values)
        key = (values.dtype.name, values.shape, values.tobytes())
        if key not in self._constants:
            self._constants[key] = self.add_weight(f"{label}/constant", values)
        return self._constants[key]

    def name_layer(self, value: str, name: str) -> None:
        """Give a computed value without a name that of an operator's output, if it is free."""
        if value in self._computed and value not in self._outputs and name not in self._names:
            self._names.add(name)
            self._outputs[value] = name

    def name_output(self, value: str, name: str) -> str:
        """Give a value the name of an output of the graph, and return that name.

        An input, a weight and a value that is an output already are copied.
        """
        if self._outputs.get(value) == name:
            return name
        name = self.unique(name)
        if value in self._computed and value not in self._outputs:
            self._outputs[value] = name
        else:
            self.add_copy(value, name)
        return name

    def add_copy(self, value: str, name: str) -> None:
        """Append a node that copies a value to one of another name."""
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"{name}/Identity"))

    def nested(self) -> "Graph":
        """Return a graph inside of a node of this one; it shares names, weights and constants."""
        inner = Graph(self.opset)
        inner.numbers, inner.domains, inner.inputs = self.numbers, self.domains, self.inputs
        inner._names, inner._constants = self._names, self._constants
        inner.zeros, inner.marks = self.zeros, self.marks
        return inner

    def as_body(self, name: str, inputs: Iterable[Info], outputs: Iterable[Info]) -> GraphProto:
        """Return a nested graph, as an attribute of a node.

        Parameters
        ----------
        name : str
        inputs, outputs : iterable of (str, int, dtype)
            Names, numbers of dimensions and dtypes. Sizes are left open, as those around may
            change. An output that no node of the graph computes is copied.
        """
        body = GraphProto(name=name)
        body.input.extend(_open_info(*given) for given in inputs)
        made: set[str] = set()
        for value, rank, dtype in outputs:
            if value not in self._computed or value in made:
                copy = self.unique(f"{value}/copy")
                self.add_copy(value, copy)
                value = copy
            made.add(value)
            body.output.append(_open_info(value, rank, dtype))
        body.node.extend(self.nodes)
        return body

    def write_to(
        self, target: GraphProto, inputs: Iterable[Any], outputs: Sequence[Any]
    ) -> dict[str, np.ndarray]:
        """Fill a graph, without nodes and weights that nothing reads; return the large weights.

        Parameters
        ----------
        target : onnx.GraphProto
        inputs, outputs : iterable of onnx.ValueInfoProto

        Returns
        -------
        dict of str to numpy.ndarray
            Weights of which the graph has only shape and element type.
        """
        for node in _with_inner_nodes(self.nodes):
            if node.output and node.output[0] in self.marks:
                self.marks[node.output[0]].renamed(self._outputs).add_to(node)
            for part in (node.input, node.output):
                part[:] = [self._outputs.get(value, value) for value in part]
        read = {info.name for info in outputs}
        nodes = []
        for node in reversed(self.nodes):
            if not read.isdisjoint(node.output):
                nodes.append(node)
                read.update(value for each in _with_inner_nodes([node]) for value in each.input)
        target.node.extend(reversed(nodes))
        target.input.extend(inputs)
        target.output.extend(outputs)
        large = {}
        for name, values in self.numbers.items():
            if name in read:
                tensor = target.initializer.add(name=name, data_type=onnx_type(values.dtype))
                tensor.dims.extend(values.shape)
                if values.nbytes > SMALL:
                    large[name] = values
                else:
                    tensor.raw_data = bytes(little_endian(values))
        return large


def _open_info(name: str, rank: int, dtype: Any) -> ValueInfoProto:
    """Return the description of an array of any sizes."""
    return helper.make_tensor_value_info(name, onnx_type(dtype), [None] * rank)


def _with_inner_nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Yield nodes, and those of the graphs inside of them."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _with_inner_nodes(attribute.g.node)
