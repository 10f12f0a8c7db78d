"""`Node`: one vertex of a graph, a variable or a call of an operator; and graph traversal.

All passes work on this structure. The computation of a node never changes, but its known shapes and
types may grow. Invariant: edges point from a node to its inputs, so there are no cycles.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from operator import attrgetter
from typing import Any, NamedTuple

from ..base.dtypes import ITEMSIZES
from ..base.numpy_semantics import is_np_shape
from ..native.dispatch.plans import Bound
from ..op.declaring.both_protocols import visible_outputs
from ..op.declaring.validation import UNKNOWN_TYPE

__all__ = [
    "UNKNOWN",
    "Edge",
    "Node",
    "Operation",
    "Type",
    "program_order",
    "state_ids",
    "topological",
    "variables_of",
    "with_replacements",
    "with_subgraphs",
]


class Type(NamedTuple):
    """Shape and element type of one value; a dimension of 0 and the shape () are unknown.

    With NumPy's shapes, () is the shape of a scalar once the element type is known.
    """

    shape: tuple[int, ...]
    code: int

    @property
    def known(self) -> bool:
        """True if shape and element type are known."""
        shape = self.shape
        return self.code != UNKNOWN_TYPE and 0 not in shape and (bool(shape) or is_np_shape())

    @property
    def nbytes(self) -> int:
        """Bytes of a value of a known type."""
        return ITEMSIZES[self.code] * prod(self.shape)


UNKNOWN = Type((), UNKNOWN_TYPE)


class Operation:
    """Operator with its attributes, as applied by a node; immutable.

    Parameters
    ----------
    name : str
        Name under which graphs are saved.
    bound : Bound
        Declaration and parsed attributes.
    attributes : dict of str to str
        Attributes as given, which are saved.
    """

    __slots__ = (
        "attributes",
        "bound",
        "changes_in_prediction",
        "entry",
        "is_composed",
        "n_arguments",
        "name",
        "num_outputs",
        "num_visible",
        "prop",
        "shapes_from_values",
        "subgraphs",
    )

    def __init__(self, name: str, bound: Bound, attributes: dict[str, str]) -> None:
        self.name = name
        self.bound = bound
        self.attributes = attributes
        #: Declaration with its attributes.
        self.prop: Any = bound.prop
        #: Entry in the registry.
        self.entry: Any = bound.handle.entry
        #: Number of inputs without auxiliary states.
        self.n_arguments = int(bound.n_arguments)
        #: Number of outputs, including hidden ones.
        self.num_outputs = len(bound.names[1])
        #: Number of visible outputs, which come first.
        self.num_visible = int(visible_outputs(self.prop, self.num_outputs))
        #: Whether it is composed of other operators; hidden outputs then have no values.
        self.is_composed = getattr(self.prop, "compose", None) is not None
        #: Whether it may be composed of other operators in a prediction.
        self.changes_in_prediction = getattr(self.prop, "compose_predicting", None) is not None
        #: Whether shapes of its outputs are known only after it has run.
        self.shapes_from_values = bool(getattr(self.prop, "shapes_from_values", False))
        #: Subgraphs of a control flow operator.
        self.subgraphs: Sequence[Any] = getattr(self.prop, "subgraphs", ())

    def output_names(self) -> list[str]:
        """Return the names of the outputs, including hidden ones."""
        return list(self.bound.names[1])

    def has_flag(self, name: str) -> bool:
        """Return whether the declaration has a named attribute that is true."""
        named = getattr(type(self.prop), "named_attribute", None)
        return named is not None and bool(named(name, False))


_serials = itertools.count()


class Node:
    """A variable or one call of an operator.

    Parameters
    ----------
    name : str
    operation : Operation, optional
        None for a variable.
    inputs : sequence of (Node, int)
        Which output of which node each input is: arguments, then auxiliary states.
    attrs : dict of str to str, optional
        What the program attached to the node, for instance ``__shape__`` or ``ctx_group``.
    types : list of Type, optional
        Known type of each output.
    """

    __slots__ = (
        "attrs",
        "inputs",
        "is_variable",
        "name",
        "num_outputs",
        "operation",
        "plan",
        "serial",
        "types",
    )

    def __init__(
        self,
        name: str,
        operation: Operation | None = None,
        inputs: "Sequence[Edge]" = (),
        attrs: dict[str, str] | None = None,
        types: list[Type] | None = None,
    ) -> None:
        self.name = name
        self.operation = operation
        #: Whether the node is an input of the graph.
        self.is_variable = operation is None
        self.inputs: tuple[Edge, ...] = tuple(inputs)
        self.attrs = attrs or {}
        self.types = types or [UNKNOWN] * (1 if operation is None else operation.num_outputs)
        #: Number of outputs, including hidden ones.
        self.num_outputs = len(self.types)
        #: Native plan, once shapes and types are known.
        self.plan: Any = None
        #: Serial number; later nodes have larger ones.
        self.serial = next(_serials)

    @property
    def num_visible(self) -> int:
        """Number of visible outputs, which come first."""
        return 1 if self.operation is None else self.operation.num_visible

    @property
    def is_pure(self) -> bool:
        """True if equal inputs give equal results and the call has no side effects.

        This holds for native calls that draw no random numbers, and if the declaration says so.
        """
        if self.plan is None or not self.inputs or self.operation is None:
            return False
        if len(self.inputs) > self.operation.n_arguments:  # the rest are auxiliary states
            return False
        if getattr(self.operation.prop, "elementwise_kernel", None) is not None:
            return True
        if self.plan.is_native:
            return not getattr(self.plan.compute, "draws_random", False)
        return self.plan.compute is not None and self.operation.has_flag("IsPure")

    @property
    def state_inputs(self) -> "tuple[Edge, ...]":
        """Inputs that are auxiliary states, which the call may change."""
        return () if self.operation is None else self.inputs[self.operation.n_arguments :]

    def output_names(self) -> list[str]:
        """Return the names of the outputs as in `list_outputs`, including hidden ones."""
        if self.operation is None:
            return [self.name]
        return [f"{self.name}_{output}" for output in self.operation.output_names()]

    def forget(self) -> None:
        """Discard the known types of the outputs, after an input was replaced."""
        self.types = [UNKNOWN] * self.num_outputs
        self.plan = None

    def __repr__(self) -> str:
        what = "variable" if self.operation is None else self.operation.name
        return f"<Node {self.name}: {what}>"


Edge = tuple[Node, int]


def topological(roots: Iterable[Edge]) -> list[Node]:
    """Return all nodes below `roots` in topological order, depth first.

    Examples
    --------
    >>> a = Node("a")
    >>> topological([(a, 0), (a, 0)])
    [<Node a: variable>]
    """
    order: list[Node] = []
    seen: set[int] = set()
    for root, _ in roots:
        stack: list[tuple[Node, Iterator[Edge]]] = [(root, iter(root.inputs))]
        if id(root) in seen:
            continue
        seen.add(id(root))
        while stack:
            node, rest = stack[-1]
            for source, _ in rest:
                if id(source) not in seen:
                    seen.add(id(source))
                    stack.append((source, iter(source.inputs)))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def state_ids(order: Iterable[Node]) -> set[int]:
    """Return the ids of the nodes that are an auxiliary state of another."""
    return {id(state) for node in order if not node.is_variable for state, _ in node.state_inputs}


def variables_of(nodes: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """Return the variables among all nodes of a graph: arguments, and auxiliary states."""
    states = state_ids(nodes)
    arguments = [node for node in nodes if node.is_variable and id(node) not in states]
    return arguments, [node for node in nodes if node.is_variable and id(node) in states]


def with_replacements(edges: tuple[Edge, ...], replaced: Mapping[int, Node]) -> tuple[Edge, ...]:
    """Return edges whose nodes are replaced by those of a mapping from node ids."""
    for source, _ in edges:
        if id(source) in replaced:
            return tuple([(replaced.get(id(node), node), index) for node, index in edges])
    return edges


def with_subgraphs(order: Iterable[Node]) -> list[Node]:
    """Return the nodes and those of their subgraphs, at any depth."""
    found: list[Node] = []
    waiting = list(order)
    while waiting:
        node = waiting.pop()
        found.append(node)
        for graph in node.operation.subgraphs if node.operation is not None else ():
            waiting += topological(graph.outputs)
    return found


def program_order(roots: Iterable[Edge]) -> list[Node]:
    """Return all nodes below `roots` in topological order, by time of creation if possible.

    Random draws, state updates and custom operators thus run in program order.

    Examples
    --------
    >>> first, second = Node("first"), Node("second")
    >>> program_order([(second, 0), (first, 0)])
    [<Node first: variable>, <Node second: variable>]
    """
    order = sorted(topological(roots), key=attrgetter("serial"))
    for node in order:
        for source, _ in node.inputs:
            if source.serial >= node.serial:  # a pass has replaced inputs by newer nodes
                return topological([(node, 0) for node in order])
    return order
