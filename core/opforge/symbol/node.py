"""`Node`: one vertex of a graph, a variable or the call of an operator, and walks over nodes.

Every pass works on this one structure. A node never changes what it computes; what is known of its
shapes and types may grow. Invariant: edges point from a node to its inputs, so there are no cycles.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import Any

from ..base.dtypes import ITEMSIZES
from ..native.dispatch.plans import Bound
from ..op.declaring.answers import UNKNOWN_TYPE

__all__ = [
    "UNKNOWN",
    "Edge",
    "Node",
    "Operation",
    "Type",
    "as_written",
    "topological",
    "with_subgraphs",
]


@dataclass(frozen=True, slots=True)
class Type:
    """Shape and element type of one value; 0 is an unknown dimension, () an unknown shape."""

    shape: tuple[int, ...]
    code: int

    @property
    def known(self) -> bool:
        """True if shape and element type are known."""
        return self.code != UNKNOWN_TYPE and bool(self.shape) and 0 not in self.shape

    @property
    def nbytes(self) -> int:
        """Bytes of a value of a known type."""
        return ITEMSIZES[self.code] * prod(self.shape)


UNKNOWN = Type((), UNKNOWN_TYPE)


@dataclass(frozen=True, slots=True)
class Operation:
    """Operator with its attributes, as a node applies it.

    Parameters
    ----------
    name : str
        The operator as graphs are saved with it.
    bound : Bound
        Declaration and parsed attributes.
    attributes : dict of str to str
        The attributes that were given, as they are saved.
    """

    name: str
    bound: Bound
    attributes: dict[str, str]

    @property
    def prop(self) -> Any:
        """The declaration with its attributes."""
        return self.bound.prop

    @property
    def entry(self) -> Any:
        """The registry's entry."""
        return self.bound.handle.entry

    @property
    def n_arguments(self) -> int:
        """Number of inputs without auxiliary states."""
        return int(self.bound.n_arguments)

    @property
    def is_composed(self) -> bool:
        """True if other operators compute it; hidden outputs then have no values."""
        return getattr(self.prop, "compose", None) is not None

    @property
    def changes_in_prediction(self) -> bool:
        """True if other operators may compute it in a prediction."""
        return getattr(self.prop, "compose_predicting", None) is not None

    @property
    def shapes_from_values(self) -> bool:
        """True if shapes of its outputs are known only after it ran."""
        return bool(getattr(self.prop, "shapes_from_values", False))

    @property
    def subgraphs(self) -> Sequence[Any]:
        """Graphs inside of the operator, of control flow."""
        return getattr(self.prop, "subgraphs", ())

    def output_names(self) -> list[str]:
        """Return the names of the outputs, hidden ones included."""
        return [str(name) for name in self.prop.list_outputs()]

    def says(self, name: str) -> bool:
        """Tell whether the declaration has a named attribute that is true."""
        named = getattr(type(self.prop), "named_attribute", None)
        return named is not None and bool(named(name, False))

    @property
    def num_visible(self) -> int:
        """Number of outputs that callers may use, counted from the first."""
        visible = getattr(self.prop, "num_visible_outputs", None)
        return len(self.output_names()) if visible is None else int(visible)


def _count_outputs(operation: Operation | None) -> int:
    return 1 if operation is None else len(operation.output_names())


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
        What is known of each output.
    """

    __slots__ = ("attrs", "inputs", "name", "num_outputs", "operation", "plan", "serial", "types")

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
        self.inputs: tuple[Edge, ...] = tuple(inputs)
        self.attrs = attrs or {}
        #: How many outputs there are, hidden ones included.
        self.num_outputs = len(types) if types else _count_outputs(operation)
        self.types = types or [UNKNOWN] * self.num_outputs
        #: The native plan, once shapes and types are settled.
        self.plan: Any = None
        #: Nodes that are made later have larger ones.
        self.serial = next(_serials)

    @property
    def is_variable(self) -> bool:
        """True if the node is an input of the graph."""
        return self.operation is None

    @property
    def num_visible(self) -> int:
        """Number of outputs that callers may use, counted from the first."""
        return 1 if self.operation is None else self.operation.num_visible

    @property
    def is_pure(self) -> bool:
        """True if equal inputs give equal results and nothing changes.

        Native calls that draw no random numbers are pure, and what the declaration says is.
        """
        if self.plan is None or not self.inputs or self.state_inputs:
            return False
        assert self.operation is not None
        if getattr(self.operation.prop, "elementwise_kernel", None) is not None:
            return True
        if self.plan.is_native:
            return not getattr(self.plan.compute, "draws_random", False)
        return self.plan.compute is not None and self.operation.says("IsPure")

    @property
    def state_inputs(self) -> "tuple[Edge, ...]":
        """The inputs that are auxiliary states, which the call may change."""
        return () if self.operation is None else self.inputs[self.operation.n_arguments :]

    def output_names(self) -> list[str]:
        """Return what `list_outputs` calls each output, hidden ones included."""
        if self.operation is None:
            return [self.name]
        return [f"{self.name}_{output}" for output in self.operation.output_names()]

    def forget(self) -> None:
        """Forget what is known of the outputs, after an input was replaced."""
        self.types = [UNKNOWN] * self.num_outputs
        self.plan = None

    def __repr__(self) -> str:
        what = "variable" if self.operation is None else self.operation.name
        return f"<Node {self.name}: {what}>"


Edge = tuple[Node, int]


def topological(roots: Iterable[Node]) -> list[Node]:
    """Return all nodes below `roots`, inputs before their users, in depth-first order.

    Examples
    --------
    >>> a = Node("a")
    >>> topological([a, a])
    [<Node a: variable>]
    """
    order: list[Node] = []
    seen: set[int] = set()
    for root in roots:
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


def with_subgraphs(order: Iterable[Node]) -> list[Node]:
    """Return nodes and those of graphs inside of their operators, at any depth."""
    found: list[Node] = []
    waiting = list(order)
    while waiting:
        node = waiting.pop()
        found.append(node)
        for graph in node.operation.subgraphs if node.operation is not None else ():
            waiting += topological(inner for inner, _ in graph.outputs)
    return found


def as_written(roots: Iterable[Node]) -> list[Node]:
    """Return all nodes below `roots`, inputs before their users, in the order they were made in.

    So that draws, states and operators of authors come in the order of the program.

    Examples
    --------
    >>> first, second = Node("first"), Node("second")
    >>> as_written([second, first])
    [<Node first: variable>, <Node second: variable>]
    """
    order = sorted(topological(roots), key=attrgetter("serial"))
    if all(source.serial < node.serial for node in order for source, _ in node.inputs):
        return order
    return topological(order)  # passes have given a node newer inputs
