"""`Symbol`: outputs of nodes of a graph, which users compose, inspect and bind."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..attribute import shown, stored
from ..base.dtypes import DTYPES
from ..base.errors import AttributeValueError
from ..base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ..base.node_attributes import is_free
from ..op.calling.fluent import add_fluent_methods
from ._namespace import operators
from .arithmetic import SymbolOperators
from .array_only import ArrayOnly
from .composing import ComposedSymbol
from .executing import ExecutedSymbol
from .files.saving import SavedSymbol
from .graph_table import graph_html
from .inference.inferred_symbol import InferredSymbol
from .node import UNKNOWN, Edge, Node, Type, topological
from .sizes import note_sizes_read

__all__ = ["Group", "Symbol"]


@add_fluent_methods(operators)
class Symbol(
    SymbolOperators, ArrayOnly, ComposedSymbol, ExecutedSymbol, InferredSymbol, SavedSymbol
):
    """One or more outputs of a graph.

    Made by `sym.var` and by the operators of `sym`.

    Parameters
    ----------
    edges : sequence of (Node, int)
        The outputs, each as a node and which of its outputs.

    Examples
    --------
    >>> from opforge import sym
    >>> x = sym.var("x")
    >>> y = sym.exp(x, name="y")
    >>> y.list_arguments(), y.list_outputs()
    (['x'], ['y_output'])
    """

    __slots__ = ("edges",)

    #: Whether an operator's `gradient` should care for this input's gradient.
    needs_gradient = True

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges: tuple[Edge, ...] = tuple(edges)

    # -- what it consists of ------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.name is None:
            return f"<Symbol group [{', '.join(node.name for node, _ in self.edges)}]>"
        return f"<Symbol {self.name}>"

    def _repr_html_(self) -> str:
        return graph_html(self)

    @property
    def name(self) -> str | None:
        """Name of the node; None for outputs of several nodes."""
        nodes = {id(node) for node, _ in self.edges}
        return self.edges[0][0].name if len(nodes) == 1 else None

    def __len__(self) -> int:
        return len(self.edges)

    def __iter__(self) -> "Iterator[Symbol]":
        return (Symbol([edge]) for edge in self.edges)

    def __getitem__(self, index: "int | str | slice") -> "Symbol":
        """Return one output by position or name, or several by a slice.

        Raises
        ------
        ValueError
            There is no output of this name, or there are several.
        """
        if isinstance(index, slice):
            return Symbol(self.edges[index])
        if isinstance(index, str):
            return Symbol([self.edges[self._position(index)]])
        if not -len(self.edges) <= index < len(self.edges):
            raise IndexError(
                f"{self!r} has {len(self.edges)} outputs ({', '.join(self.list_outputs())}), there "
                f"is no number {index}"
            )
        return Symbol([self.edges[index]])

    def _position(self, name: str) -> int:
        names = self.list_outputs()
        found = [at for at, known in enumerate(names) if known == name]
        if len(found) != 1:
            what = "no output" if not found else f"{len(found)} outputs"
            raise ValueError(f"{self!r} has {what} named {name!r}; its outputs are {names}")
        return found[0]

    def nodes(self) -> list[Node]:
        """Return all nodes of the graph, inputs before their users."""
        return topological(node for node, _ in self.edges)

    def get_internals(self) -> "Symbol":
        """Return a group of the outputs of all nodes, in the order of computation."""
        return Symbol([(n, i) for n in self.nodes() for i in range(n.num_visible)])

    def get_children(self) -> "Symbol | None":
        """Return a group of the direct inputs; None where there are none."""
        edges = [edge for node in _unique(self.edges) for edge in node.inputs]
        return Symbol(edges) if edges else None

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return [node.output_names()[index] for node, index in self.edges]

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are no auxiliary states."""
        return [node.name for node in self.argument_nodes()]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""
        return [node.name for node in self.state_nodes()]

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, in the order of computation."""
        return [node.name for node in self.nodes() if node.is_variable]

    def argument_nodes(self) -> list[Node]:
        """Return the variables that are no auxiliary states, in the order of computation."""
        nodes = self.nodes()
        states = _states(nodes)
        return [node for node in nodes if node.is_variable and id(node) not in states]

    def state_nodes(self) -> list[Node]:
        """Return the variables that are auxiliary states, in the order of computation."""
        nodes = self.nodes()
        states = _states(nodes)
        return [node for node in nodes if id(node) in states]

    # -- what is known of it ------------------------------------------------------------------

    @property
    def type(self) -> Type:
        """Known shape and element type of the only output."""
        node, index = self._only("type")
        return node.types[index]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the output, where it is known: while a block is traced, or in a gradient."""
        found = self.type
        if found is UNKNOWN:
            raise AttributeError(
                f"{self!r} has no shape: a symbol is not bound to arrays; infer_shape() tells the "
                "shapes that given ones lead to"
            )
        note_sizes_read()
        return found.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions, where the shape is known."""
        # Asks for no sizes: a trace holds for all inputs of so many dimensions.
        found = self.type
        return len(found.shape if found.shape else self.shape)

    @property
    def size(self) -> int:
        """Number of elements, where the shape is known."""
        count = 1
        for dim in self.shape:
            count *= dim
        return count

    @property
    def dtype(self) -> Any:
        """Element type, where it is known; a NumPy scalar class."""
        found = self.type
        if found.code < 0:
            raise AttributeError(f"{self!r} has no dtype before it is bound to arrays")
        return DTYPES[found.code]

    def _only(self, what: str) -> Edge:
        if len(self.edges) != 1:
            raise AttributeError(f"{self!r} has {len(self.edges)} outputs and so no one {what}")
        return self.edges[0]

    # -- attributes ---------------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """Return an attribute of the node; None where it has none of this name."""
        return self.list_attr().get(key)

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Return the attributes of the node: the operator's, and what the program attached."""
        if recursive:
            raise DeprecationWarning(
                "Symbol.list_attr with recursive=True has been deprecated. Please use attr_dict "
                "instead."
            )
        return _all_attributes(self.edges[0][0])

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of all nodes that have some, by name."""
        found = {node.name: _all_attributes(node) for node in self.nodes()}
        return {name: attributes for name, attributes in found.items() if attributes}

    def _set_attr(self, **attributes: str) -> None:
        """Attach attributes to the node."""
        for key, value in attributes.items():
            if not isinstance(value, str):
                raise ValueError(f"Set Attr only accepts string values, got {key}={value!r}")
        node = self.edges[0][0]
        foreign = [key for key in attributes if not node.is_variable and not is_free(key)]
        if foreign:
            raise AttributeValueError(
                f"{node.name!r} is an operator, whose own attributes are set when it is called; to "
                f"attach something else to it, write __{foreign[0]}__"
            )
        node.attrs.update(stored(attributes))

    def __hash__(self) -> int:
        return hash(self.edges)


def _unique(edges: Sequence[Edge]) -> list[Node]:
    return list({id(node): node for node, _ in edges}.values())


def _states(nodes: Sequence[Node]) -> set[int]:
    """Return the ids of the variables that are auxiliary states of some node."""
    return {id(source) for node in nodes for source, _ in node.state_inputs if source.is_variable}


def _all_attributes(node: Node) -> dict[str, str]:
    own = {} if node.operation is None else node.operation.attributes
    return shown({**own, **node.attrs})


def Group(symbols: Iterable[Symbol]) -> Symbol:
    """Return a symbol of all outputs of `symbols`.

    Examples
    --------
    >>> from opforge import sym
    >>> Group([sym.var("a"), sym.var("b")]).list_outputs()
    ['a', 'b']
    """
    if not isinstance(symbols, Iterable):
        raise TypeError(f"Expected a list of symbols as input, got {type(symbols).__name__}")
    symbols = list(symbols)
    if not symbols or any(not isinstance(item, Symbol) for item in symbols):
        raise TypeError("Expected a list of symbols as input")
    return Symbol([edge for item in symbols for edge in item.edges])


_add_mxnet_names(__name__)
