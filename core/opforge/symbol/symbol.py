"""`Symbol`: outputs of a graph's nodes, which users compose, inspect and bind."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..attribute import shown, stored
from ..base.dtypes import dtype_of
from ..base.errors import AttributeValueError
from ..base.module_aliases import add_aliases as _add_aliases
from ..base.node_attributes import is_free
from ..base.numpy_semantics import is_np_array, is_np_shape
from ..op.calling.fluent import add_fluent_methods
from ._namespace import operators
from .arithmetic import SymbolOperators
from .array_only import ArrayOnly
from .basic_indexing import selected
from .composed_symbol import ComposedSymbol
from .executed_symbol import ExecutedSymbol
from .files.saving import SavedSymbol
from .graph_table import graph_html
from .inference.inferred_symbol import InferredSymbol
from .modes import modes
from .node import UNKNOWN, Edge, Node, Type, topological, variables_of
from .numpy_methods import add_numpy_methods
from .partitioning.optimized_symbol import OptimizedSymbol
from .size_tracking import mark_sizes_read, unknown_sizes

__all__ = ["Group", "Symbol", "outputs_of"]


@add_numpy_methods
@add_fluent_methods(operators)
class Symbol(
    SymbolOperators,
    ArrayOnly,
    ComposedSymbol,
    ExecutedSymbol,
    InferredSymbol,
    OptimizedSymbol,
    SavedSymbol,
):
    """One or more outputs of a graph.

    Created by `sym.var` and by the operators of `sym`.

    Parameters
    ----------
    edges : sequence of (Node, int)
        Outputs as pairs of a node and an output index.

    Examples
    --------
    >>> from opforge import sym
    >>> x = sym.var("x")
    >>> y = sym.exp(x, name="y")
    >>> y.list_arguments(), y.list_outputs()
    (['x'], ['y_output'])
    """

    __slots__ = ("edges",)

    #: Whether an operator's `gradient` should compute the gradient of this input.
    needs_gradient = True

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges: tuple[Edge, ...] = tuple(edges)

    # -- structure ----------------------------------------------------------------------------

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

    @property
    def _represents_array(self) -> bool:
        """True if this is indexed, iterated and measured like an array."""
        if len(self.edges) != 1:
            return False
        return modes.stands_for_arrays or (is_np_array() and self.type.known)

    def __len__(self) -> int:
        """Return the number of outputs or, in a hybrid block, of an output's rows, as of arrays."""
        if not self._represents_array:
            return len(self.edges)
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> "Iterator[Symbol]":
        """Iterate over the outputs or, in a hybrid block, over an output's rows, as of arrays."""
        return iter(self[at] for at in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        """Return one output by index or name, or several by a slice.

        In a hybrid block, one of several outputs chosen by a slice is in a list, as for arrays.
        There, or if a program requests arrays of ``mx.np``, a single output is indexed
        like an array, by ints, slices, None and ``...``.

        Raises
        ------
        IndexError
            There is no such output, row or axis.
        NotImplementedForSymbol
            An array would accept the index, but a symbol does not.
        TypeError
            An output is indexed by something else than an int, a slice or a name.
        ValueError
            No output, or more than one, has this name.
        """
        if self._represents_array and not isinstance(index, str):
            found: Symbol = selected(self, index)
            return found
        if isinstance(index, slice):
            chosen = self.edges[index]
            # A group of one output would be indexed and iterated like an array.
            is_list = modes.stands_for_arrays and len(chosen) == 1
            return [Symbol(chosen)] if is_list else Symbol(chosen)
        if isinstance(index, str):
            return Symbol([self.edges[self._position(index)]])
        if not isinstance(index, int | np.integer):
            raise TypeError(
                f"Symbol only support integer index to fetch i-th output, got {index!r:.60}; names "
                "and slices select outputs too, and sym.slice and sym.take select elements"
            )
        if not -len(self.edges) <= index < len(self.edges):
            raise IndexError(
                f"{self!r} has {len(self.edges)} outputs ({', '.join(self.list_outputs())}); index "
                f"{index} is out of range"
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
        """Return all nodes of the graph in topological order."""
        return topological(self.edges)

    def get_internals(self) -> "Symbol":
        """Return a group of the outputs of all nodes, in topological order."""
        return Symbol([(n, i) for n in self.nodes() for i in range(n.num_visible)])

    def get_children(self) -> "Symbol | None":
        """Return a group of the direct inputs, or None if there are none."""
        edges = [edge for node in _unique(self.edges) for edge in node.inputs]
        return Symbol(edges) if edges else None

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return [node.output_names()[index] for node, index in self.edges]

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are not auxiliary states."""
        return [node.name for node in self.argument_nodes()]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""
        return [node.name for node in self.state_nodes()]

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, in topological order."""
        return [node.name for node in self.nodes() if node.is_variable]

    def argument_nodes(self) -> list[Node]:
        """Return the variables that are not auxiliary states, in topological order."""
        return variables_of(self.nodes())[0]

    def state_nodes(self) -> list[Node]:
        """Return the variables that are auxiliary states, in topological order."""
        return variables_of(self.nodes())[1]

    # -- known shapes and types ---------------------------------------------------------------

    @property
    def type(self) -> Type:
        """Known shape and element type of the only output."""
        node, index = self._only("type")
        return node.types[index]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the output, if it is known: while a block is traced, or in a gradient.

        Raises
        ------
        UnknownShapeError
            It is unknown, for example because it depends on values. A hybridized block whose code
            reads it runs imperatively.
        """
        found = self.type
        if found is UNKNOWN:
            raise unknown_sizes(
                f"{self!r} has no shape because a symbol is not bound to arrays; use infer_shape() "
                "to infer it from the shapes of inputs"
            )
        if 0 in found.shape or not (found.shape or is_np_shape()):
            raise unknown_sizes(
                f"{self!r} has a shape that is unknown before the graph runs, {found.shape}, where "
                "0 and () stand for unknown sizes: they depend on values, or on operators that are "
                "called later"
            )
        mark_sizes_read()
        return found.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions, if the shape is known."""
        # Not recorded as a read of sizes: traces are kept per number of dimensions anyway.
        found = self.type
        return len(found.shape if found.shape else self.shape)

    @property
    def size(self) -> int:
        """Number of elements, if the shape is known."""
        count = 1
        for dim in self.shape:
            count *= dim
        return count

    @property
    def dtype(self) -> Any:
        """Element type as a NumPy scalar class, if it is known."""
        found = self.type
        if found.code < 0:
            raise AttributeError(f"{self!r} has no dtype before it is bound to arrays")
        return dtype_of(found.code)

    def _only(self, what: str) -> Edge:
        if len(self.edges) != 1:
            raise AttributeError(
                f"{self!r} has {len(self.edges)} outputs, so its {what} is ambiguous"
            )
        return self.edges[0]

    # -- attributes ---------------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """Return an attribute of the node, or None if it is not set."""
        return self.list_attr().get(key)

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Return the attributes of the node: those of the operator, and attached ones."""
        if recursive:
            raise DeprecationWarning(
                "Symbol.list_attr with recursive=True has been deprecated. Please use attr_dict "
                "instead."
            )
        return _all_attributes(self.edges[0][0])

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of all nodes that have any, by name."""
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
                f"attach another attribute to it, use __{foreign[0]}__"
            )
        node.attrs.update(stored(attributes))

    def __hash__(self) -> int:
        return hash(self.edges)


def outputs_of(symbol: Symbol) -> list[Symbol]:
    """Return the outputs as separate symbols, of a symbol that stands for an array too."""
    return [Symbol([edge]) for edge in symbol.edges]


def _unique(edges: Sequence[Edge]) -> list[Node]:
    return list({id(node): node for node, _ in edges}.values())


def _all_attributes(node: Node) -> dict[str, str]:
    own = {} if node.operation is None else node.operation.attributes
    return shown({**own, **node.attrs})


def Group(symbols: Iterable[Symbol]) -> Symbol:
    """Return a symbol with all outputs of `symbols`.

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


_add_aliases(__name__)
