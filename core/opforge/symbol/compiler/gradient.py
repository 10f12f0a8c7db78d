"""Differentiation: the gradient of a graph as further nodes of the graph.

The `gradient` of each operator is called with symbols, so that it returns nodes; an operator with a
``backward`` method gets one node that calls it. Unused nodes are dropped when the graph is
compiled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import OpforgeError, ShapeError
from ...native.dispatch.rules import ComputationRule, OperatorRule
from ...op.declaring.errors import wrapping
from .._namespace import operators
from ..composition import expanding
from ..node import Edge, Node, Type, topological
from ..symbol import Symbol

__all__ = ["BackwardOperation", "ComputedGradient", "dependent_nodes", "differentiate"]


@dataclass(frozen=True, slots=True)
class BackwardOperation:
    """Call of the ``backward`` of the operator object that another node's forward created.

    Parameters
    ----------
    forward : Node
    wanted : tuple of bool
        Arguments of the forward node that get a gradient.
    """

    forward: Node
    wanted: tuple[bool, ...]

    @property
    def name(self) -> str:
        """Name for errors."""
        return f"backward of {self.forward.name}"

    @property
    def n_arguments(self) -> int:
        """Number of inputs; auxiliary states are reached through the forward node."""
        return len(self.forward.inputs) + 2 * self.forward.num_outputs

    def output_names(self) -> list[str]:
        """Return a name for the gradient of each argument."""
        return [f"grad{position}" for position in range(len(self.wanted))]

    @property
    def num_visible(self) -> int:
        """Number of outputs; none is hidden."""
        return len(self.wanted)


@dataclass(frozen=True, slots=True)
class ComputedGradient:
    """The gradient that the computation of another node provides.

    Parameters
    ----------
    plan : Plan
        Plan of the other node.
    label : str
        Name of the other node.
    computed : tuple of bool
        Arguments whose gradient is computed.
    n_arguments : int
        Number of inputs, without auxiliary states.
    """

    plan: Any
    label: str
    computed: tuple[bool, ...]
    n_arguments: int

    @property
    def name(self) -> str:
        """Name for errors."""
        return f"backward of {self.label}"

    def output_names(self) -> list[str]:
        """Return a name for each computed gradient."""
        return [f"grad{position}" for position, flag in enumerate(self.computed) if flag]

    @property
    def num_visible(self) -> int:
        """Number of outputs; none is hidden."""
        return sum(self.computed)


def differentiate(
    outputs: Sequence[Edge], heads: Sequence[Edge], variables: Sequence[Node]
) -> list[Edge | None]:
    """Return the gradients of `variables`, given the gradients of the outputs.

    Parameters
    ----------
    outputs : sequence of (Node, int)
        Outputs of a lowered graph.
    heads : sequence of (Node, int)
        Gradient of each output.
    variables : sequence of Node

    Returns
    -------
    list of (Node, int) or None
        None if no output depends on the variable.
    """
    order = topological(outputs)
    dependent = dependent_nodes(order, variables)
    received: dict[tuple[int, int], Symbol] = {}
    with expanding():
        for (node, index), head in zip(outputs, heads, strict=True):
            _deliver(received, (node, index), Symbol([head]))
        for node in reversed(order):
            if node.operation is not None and id(node) in dependent:
                _backpropagate(node, dependent, received)
    found = [received.get((id(node), 0)) for node in variables]
    return [None if grad is None else grad.edges[0] for grad in found]


def dependent_nodes(order: Sequence[Node], variables: Sequence[Node]) -> set[int]:
    """Return the ids of the nodes that depend on a variable."""
    dependent = {id(node) for node in variables}
    for node in order:
        if not dependent.isdisjoint([id(source) for source, _ in node.inputs]):
            dependent.add(id(node))
    return dependent


def _deliver(received: dict[tuple[int, int], Symbol], edge: Edge, grad: Symbol) -> None:
    key = (id(edge[0]), edge[1])
    have = received.get(key)
    received[key] = grad if have is None else operators().elemwise_add(have, grad)


def _backpropagate(
    node: Node, dependent: set[int], received: dict[tuple[int, int], Symbol]
) -> None:
    """Propagate the gradients of a node's outputs to its inputs, if there are any."""
    grads = [received.get((id(node), index)) for index in range(node.num_outputs)]
    if all(grad is None for grad in grads) or node.plan.rule is None:
        return
    zeros_like = operators().zeros_like
    full = [
        zeros_like(Symbol([(node, index)])) if grad is None else grad
        for index, grad in enumerate(grads)
    ]
    arguments = node.inputs[: node.operation.n_arguments] if node.operation else ()
    wanted = tuple([id(source) in dependent for source, _ in arguments])
    if isinstance(node.plan.rule, OperatorRule):
        results = _call_backward(node, full, arguments, wanted)
    elif isinstance(node.plan.rule, ComputationRule):
        results = _compute_gradient(node, full, arguments, wanted)
    else:
        results = _trace_gradient(node, full, arguments, wanted)
    for edge, flag, grad in zip(arguments, wanted, results, strict=False):
        if flag and grad is not None:
            _deliver(received, edge, _fit_to_input(grad, edge, node))


class _Fixed(Symbol):
    """An input that needs no gradient."""

    __slots__ = ()

    needs_gradient = False


def _trace_gradient(
    node: Node, grads: list[Any], arguments: Sequence[Edge], wanted: tuple[bool, ...]
) -> list[Any]:
    """Call the declaration's `gradient` with symbols."""
    assert node.operation is not None
    inputs = [
        Symbol([edge]) if flag else _Fixed([edge])
        for edge, flag in zip(arguments, wanted, strict=True)
    ]
    outputs = [Symbol([(node, index)]) for index in range(node.num_outputs)]
    shapes = [source.types[index].shape for source, index in arguments]
    with wrapping(node.operation.entry, "gradient", shapes):
        answer = node.operation.prop.gradient(operators(), grads, inputs, outputs)
        results = list(answer) if isinstance(answer, list | tuple) else [answer]
        if len(results) < len(arguments):
            raise OpforgeError(
                f"it returned {len(results)} gradients for {len(arguments)} inputs; return a list "
                "with None for an input that has none"
            )
    return results


def _call_backward(
    node: Node, grads: list[Any], arguments: Sequence[Edge], wanted: tuple[bool, ...]
) -> list[Any]:
    """Add a node that calls the ``backward`` of the operator object of `node`."""
    reads = node.plan.rule.reads
    heads = [grad.edges[0] for grad, flag in zip(grads, reads[0], strict=True) if flag]
    read = [edge for edge, flag in zip(arguments, reads[1], strict=True) if flag]
    own = [(node, index) for index, flag in enumerate(reads[2]) if flag]
    types = [source.types[index] for source, index in arguments]
    operation: Any = BackwardOperation(node, wanted)
    backward = Node(operation.name, operation, [*heads, *read, *own], types=list(types))
    return [Symbol([(backward, index)]) for index in range(len(arguments))]


def _compute_gradient(
    node: Node, grads: list[Any], arguments: Sequence[Edge], wanted: tuple[bool, ...]
) -> list[Any]:
    """Add a node that computes the gradient of `node`."""
    rule = node.plan.rule
    reads_heads, reads_inputs, reads_outputs = rule.reads
    computed = wanted if rule.partial else (True,) * len(arguments)
    heads = [grad.edges[0] for grad, flag in zip(grads, reads_heads, strict=True) if flag]
    read = [edge for edge, flag in zip(arguments, reads_inputs, strict=True) if flag]
    own = [(node, index) for index, flag in enumerate(reads_outputs) if flag]
    types = [s.types[i] for (s, i), flag in zip(arguments, computed, strict=True) if flag]
    inputs = [*heads, *read, *own]
    operation: Any = ComputedGradient(node.plan, node.name, computed, len(inputs))
    made = Node(operation.name, operation, [*inputs, *node.state_inputs], types=types)
    edges = iter(range(len(types)))
    return [Symbol([(made, next(edges))]) if flag else None for flag in computed]


def _fit_to_input(grad: Any, edge: Edge, node: Node) -> Symbol:
    """Return a gradient in its input's shape: what was broadcast is summed."""
    if not isinstance(grad, Symbol) or len(grad.edges) != 1:
        raise OpforgeError(
            f"the gradient of node '{node.name}' is {grad!r:.60}, expected a symbol of one output"
        )
    want: Type = edge[0].types[edge[1]]
    if grad.shape == want.shape:
        return grad
    assert node.operation is not None
    if getattr(node.operation.prop, "kernel_broadcasts", False):
        return operators()._unbroadcast(grad, want.shape)
    raise ShapeError(
        f"the gradient of node '{node.name}' has shape {grad.shape}, its input {want.shape}"
    )
