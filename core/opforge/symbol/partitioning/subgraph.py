"""Graphs and their nodes as subgraph backends see them."""

from collections.abc import Mapping
from typing import Any

from ...base.dtypes import dtype_of
from ...base.errors import OpforgeError
from ...ndarray import NDArray
from ...op.declaring.validation import UNKNOWN_TYPE
from ..node import Node, Type
from ..symbol import Symbol
from ..variable import typed_variable

__all__ = ["GraphNode", "Subgraph", "Types"]

#: Known types of the outputs of each node, by the node's id.
Types = Mapping[int, list[Type]]


class GraphNode:
    """One call of an operator in a graph.

    Attributes
    ----------
    name : str
    operator : str
        Name under which the operator is saved, for instance ``"FullyConnected"``.
    attributes : dict of str to str
        Attributes of the operator, as given.
    inputs : tuple of Symbol
        Arguments, then auxiliary states.
    input_names : tuple of str
        Their names, for instance ``"data"`` or ``"fc_output"``.
    input_shapes, output_shapes : tuple of (tuple of int)
        Shapes, as far as they are known; () and sizes of 0 are unknown.
    input_dtypes, output_dtypes : tuple of (type or None)
        Element types as NumPy scalar classes; None if unknown.
    """

    __slots__ = (
        "attributes",
        "input_dtypes",
        "input_names",
        "input_shapes",
        "inputs",
        "name",
        "operator",
        "output_dtypes",
        "output_shapes",
    )

    def __init__(self, node: Node, types: Types) -> None:
        assert node.operation is not None
        self.name = node.name
        self.operator: str = node.operation.name
        self.attributes: dict[str, str] = dict(node.operation.attributes)
        self.inputs = tuple([Symbol([edge]) for edge in node.inputs])
        self.input_names = tuple([source.output_names()[index] for source, index in node.inputs])
        read = [types[id(source)][index] for source, index in node.inputs]
        written = types[id(node)][: node.num_visible]
        self.input_shapes = tuple([kind.shape for kind in read])
        self.input_dtypes = tuple(map(_dtype, read))
        self.output_shapes = tuple([kind.shape for kind in written])
        self.output_dtypes = tuple(map(_dtype, written))

    def __repr__(self) -> str:
        return f"<GraphNode {self.name}: {self.operator}>"


class Subgraph:
    """Part of a graph, or all of it, that a backend may replace.

    Attributes
    ----------
    name : str
        Name that no node of the graph has, for the nodes of a replacement.
    symbol : Symbol
        Its outputs. Values that it reads from the rest of the graph are variables.
    nodes : list of GraphNode
        Its operators in topological order.
    inputs : dict of str to Symbol
        Its variables by name: arguments, auxiliary states and outputs of other nodes.
    args, aux : mapping of str to NDArray
        Values of the graph's arguments and auxiliary states, as far as the caller passed them.
    """

    def __init__(
        self,
        name: str,
        symbol: Symbol,
        types: Types,
        args: Mapping[str, NDArray],
        aux: Mapping[str, NDArray],
        taken: set[str],
    ) -> None:
        self.name = name
        self.symbol = symbol
        self.nodes = [GraphNode(node, types) for node in symbol.nodes() if not node.is_variable]
        self.inputs = {
            node.name: Symbol([(node, 0)]) for node in symbol.nodes() if node.is_variable
        }
        self.args = args
        self.aux = aux
        self._taken = taken
        #: Known types of the inputs.
        self._types = {name: types[id(var.edges[0][0])][0] for name, var in self.inputs.items()}
        self._added: dict[str, NDArray] = {}

    def add_parameter(self, name: str, value: NDArray) -> Symbol:
        """Add a parameter to the graph and return its variable.

        It becomes an auxiliary state if the replacement uses it as one, else an argument.

        Parameters
        ----------
        name : str
            Name that no other node has, for instance ``f"{subgraph.name}_weight"``.
        value : NDArray

        Raises
        ------
        OpforgeError
            Another node has this name.
        """
        if not isinstance(value, NDArray):
            raise TypeError(f"add_parameter: {name!r} must be an NDArray, got {value!r:.60}")
        if name in self._taken:
            raise OpforgeError(
                f"add_parameter: the graph already has a node {name!r}; start the name with the "
                f"subgraph's, {self.name!r}"
            )
        self._taken.add(name)
        self._added[name] = value
        return typed_variable(name, value.shape, value.dtype_code)

    def __repr__(self) -> str:
        return f"<Subgraph {self.name}: {', '.join(node.operator for node in self.nodes)}>"


def _dtype(kind: Type) -> Any:
    return None if kind.code == UNKNOWN_TYPE else dtype_of(kind.code)
