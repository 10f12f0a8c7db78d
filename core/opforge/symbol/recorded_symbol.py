"""`get_symbol`: the recorded computation of an array as a symbol; hybridized blocks are inlined."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from ..base.errors import OpforgeError
from ..name import NameManager
from ..native.dispatch import tape
from ..native.dispatch.plans import Bound
from ..op.calling.binding import attribute_names, graph_handle
from ..op.declaring.attribute import UNSET
from ..op.declaring.declaration import OperatorProp
from ..op.registry.registry import lookup
from .composition import apply, input_names, make_operation
from .custom import custom_operation
from .node import Operation
from .symbol import Symbol
from .variable import var

__all__ = ["get_symbol", "inlined"]


def get_symbol(x: Any) -> Symbol:
    """Return the graph that computed a recorded array, with the arrays it read as variables.

    Parameters
    ----------
    x : NDArray

    Raises
    ------
    OpforgeError
        `x` was not recorded, or its history contains a call that is not an operator.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.exp(x * 2 + x)
    >>> autograd.get_symbol(y).list_arguments()
    ['var0']
    """
    source, index = tape.source_of(x)
    if source is None:
        raise OpforgeError(
            "the array is not in a computational graph: compute it in autograd.record() from "
            "variables (attach_grad()), and call get_symbol before backward() frees the graph"
        )
    made = _Graph()
    with _NodeNames():
        for node in _in_order(source):
            made.add(node)
        return made.output(source, index)


def inlined(graph: Symbol, names: Sequence[str], *inputs: Symbol) -> Symbol:
    """Return a graph with inputs instead of its variables; its nodes get new names.

    Parameters
    ----------
    graph : Symbol
    names : sequence of str
        Variable that each input replaces.
    *inputs : Symbol
    """
    renamed = copy(graph)
    for node in renamed.nodes():
        if not node.is_variable:
            node.name = NameManager.current.get(None, node.name)
    return renamed(**dict(zip(names, inputs, strict=True)))


class _NodeNames(NameManager):
    """MXNet's names, ``node_0``, ``node_1``, ...; they do not depend on other symbols."""

    def get(self, name: str | None, hint: str) -> str:
        """Return `name` if it is given, else the next one."""
        return name or super().get(None, "node_")


class _Graph:
    """Symbols that were created for nodes of the tape and for variables."""

    def __init__(self) -> None:
        self._made: dict[Any, Symbol] = {}
        self._n_variables = 0

    def add(self, node: tape.Node) -> None:
        """Compose the operator that a node of the tape called."""
        inputs = [
            self.output(parent, index)
            for parent, index in zip(node.parents, node.parent_indices, strict=True)
        ]
        called = node.operation
        if called is None:
            raise OpforgeError(
                "a recorded call is not an operator of sym: an autograd.Function, or the gradient "
                "of an operator in C"
            )
        if callable(called):
            self._made[node] = called(*inputs)
            return
        operation = _operation(called)
        edges = [item.edges[0] for item in inputs]
        given = dict(zip(input_names(operation), edges, strict=False))
        self._made[node] = apply(operation, given)

    def output(self, source: Any, index: int) -> Symbol:
        """Return one output of a node, or a variable; an unknown source is a new one per use."""
        if source in self._made:
            made = self._made[source]
            return made[index] if isinstance(source, tape.Node) else made
        variable = var(f"var{self._n_variables}")
        self._n_variables += 1
        if source is not None:
            self._made[source] = variable
        return variable


def _in_order(source: Any) -> Iterator[tape.Node]:
    """Yield the nodes of the tape that `source` depends on, in topological order."""
    done: set[Any] = set()
    pending = [source] if isinstance(source, tape.Node) else []
    while pending:
        node = pending[-1]
        before = [p for p in node.parents if isinstance(p, tape.Node) and p not in done]
        if before and node not in done:
            pending.extend(reversed(before))  # the first input's first, as in other graphs
            continue
        pending.pop()
        if node not in done:
            done.add(node)
            yield node


def _operation(called: Any) -> Operation:
    """Return the operation for a `Bound` or for the declaration of an elementwise kernel."""
    prop = called.prop if isinstance(called, Bound) else called
    if not isinstance(prop, OperatorProp):
        return custom_operation(called.handle.name, dict(called.attributes))
    attributes = type(prop).attributes
    values = tuple(
        UNSET if getattr(prop, name) == attributes[name].default else getattr(prop, name)
        for name in attribute_names(type(prop))
    )
    return make_operation(graph_handle(lookup(prop.name)), values)
