"""`ExecutorMonitor`: passes intermediate results and gradients of an executor to a callback."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import autograd
from ..base.dtypes import is_floating
from ..native.dispatch import tape
from .interpreter import call_node
from .monitored_values import monitored_values
from .node import Edge, Node
from .symbol import Symbol

__all__ = ["ExecutorMonitor"]


class ExecutorMonitor:
    """Calls a function with intermediate results after each pass of an executor.

    Results inside a compiled graph share memory, so they are computed again, one by one, with
    copies of the auxiliary states.

    Parameters
    ----------
    executor : Executor
    callback : callable
        ``callback(name, array)``; the name is bytes.
    with_inputs : bool
        Whether to include the inputs of operators and the gradients of the outputs.
    """

    def __init__(
        self, executor: Any, callback: Callable[[bytes, Any], Any], with_inputs: bool
    ) -> None:
        self.callback = callback
        self.with_inputs = with_inputs
        self._executor = executor
        shown = list(monitored_values(executor._symbol.nodes(), with_inputs))
        self._names = [name for name, _ in shown]
        self._inner = Symbol([edge for _, edge in shown])

    def _states(self) -> dict[str, Any]:
        return {name: array.copy() for name, array in self._executor.aux_dict.items()}

    def after_forward(self, is_train: bool) -> None:
        """Pass on the outputs of all operators."""
        run = self._executor
        every = type(run)(self._inner, run._ctx, run.arg_dict, {}, {}, self._states())
        for name, array in zip(self._names, every.forward(is_train), strict=True):
            self.callback(name.encode(), array)

    def after_backward(self, heads: Sequence[Any], is_train: bool) -> None:
        """Pass on the gradients of each operator's inputs, starting with the last operator.

        Calls of loops and branches cannot be repeated, so graphs that contain them show none.
        """
        run = self._executor
        nodes = run._symbol.nodes()
        if any(node.operation is not None and node.operation.subgraphs for node in nodes):
            return
        if self.with_inputs:
            for index, head in enumerate(heads):
                if head is not None:
                    self.callback(f"_head_grad_{index}".encode(), head)
        values = {**run.arg_dict, **self._states()}
        with run._ctx:
            for name, array in _gradients(run._symbol, values, heads, is_train):
                self.callback(name.encode(), array)


def _gradients(
    symbol: Symbol, values: dict[str, Any], heads: Sequence[Any], is_train: bool
) -> Iterator[tuple[str, Any]]:
    """Yield names and gradients of the inputs of each operator, from the last to the first."""
    calls = _recorded_calls(symbol, values, is_train)
    reaching: dict[Edge, Any] = {}
    for edge, head in zip(symbol.edges, heads, strict=True):
        _add(reaching, edge, head)
    for node, (inputs, outputs) in reversed(calls.items()):
        reached = [
            at for at, array in enumerate(outputs) if (node, at) in reaching and tape.leads(array)
        ]
        if not reached:
            continue
        arrays, grads = [outputs[at] for at in reached], [reaching[node, at] for at in reached]
        autograd.backward(arrays, grads, train_mode=is_train)
        shown = inputs[: node.operation.n_arguments] if node.operation else []
        for at, array in enumerate(shown):
            if array.grad is not None:
                number = "" if len(shown) == 1 else str(at)
                yield f"{node.name}_backward_output{number}", array.grad
                _add(reaching, node.inputs[at], array.grad)


def _add(reaching: dict[Edge, Any], edge: Edge, grad: Any) -> None:
    """Accumulate the gradient of an edge; None is the gradient of a loss, which needs none."""
    before = reaching.get(edge)
    reaching[edge] = grad if before is None else before + grad


def _recorded_calls(
    symbol: Symbol, values: dict[str, Any], is_train: bool
) -> dict[Node, tuple[list[Any], list[Any]]]:
    """Call each operator on detached inputs; return inputs and outputs by node."""
    made: dict[Edge, Any] = {}
    calls: dict[Node, tuple[list[Any], list[Any]]] = {}
    for node in symbol.nodes():
        if node.is_variable:
            made[node, 0] = values[node.name]
            continue
        inputs = [made[edge].detach() for edge in node.inputs]
        assert node.operation is not None
        for array in inputs[: node.operation.n_arguments]:
            if is_floating(array.dtype_code):
                array.attach_grad()
        with autograd.record(train_mode=is_train):
            outputs = call_node(node, inputs)
        calls[node] = inputs, outputs
        made.update(((node, index), array) for index, array in enumerate(outputs))
    return calls
