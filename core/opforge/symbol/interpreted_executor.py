"""`InterpretedExecutor`: a bound symbol that runs operator by operator, without compilation.

It is used for symbols whose shapes depend on values, and for symbols bound to sparse arrays, since
shapes and storage types of results are then known only after each call.
"""

from collections.abc import Mapping
from typing import Any

from .. import autograd
from ..base.errors import OpforgeError
from ..native.dispatch import tape
from .bound_arrays import zeros
from .execution_text import describe_execution
from .executor import Executor
from .head_gradients import head_gradients
from .inference.inferred_symbol import infer_types_of
from .interpreter import has_shapes_from_values, interpret
from .node import Node

__all__ = ["InterpretedExecutor"]


class InterpretedExecutor(Executor):
    """An executor that makes the same calls as the equivalent imperative program.

    `outputs` are new arrays after each `forward`, possibly of other shapes. Before the first one
    they are zeros, or empty if shapes depend on values.
    """

    def _prepare(self, requests: Mapping[str, str]) -> None:
        self._requests = dict(requests)
        self._recorded: list[Any] = []
        self.outputs = [] if has_shapes_from_values(self._symbol) else self._zeros()

    def _zeros(self) -> list[Any]:
        shapes = {name: array.shape for name, array in self._given.items()}
        codes = {name: array.dtype_code for name, array in self._given.items()}
        found = infer_types_of(self._symbol.edges, shapes, codes)
        found.raise_contradiction()
        types = [found.of(edge) for edge in self._symbol.edges]
        return [zeros(kind.shape, max(kind.code, 0), self._ctx) for kind in types]

    @property
    def nbytes(self) -> int:
        """Bytes of the outputs; no program is kept."""
        return sum(array.size * array.dtype().itemsize for array in self.outputs)

    def debug_str(self) -> str:
        """Return the graph as text; the memory of a pass depends on values and is given as 0."""
        return describe_execution(self._symbol, 0)

    def _compute(self, is_train: bool) -> None:
        values = {name: array.detach() for name, array in self._given.items()}
        autograd.mark_variables(
            [values[name] for name in self._requests],
            [self._gradients.written[name] for name in self._requests],
            list(self._requests.values()),
        )
        mode = autograd.record if self._requests else autograd.pause
        with self._ctx, mode(train_mode=is_train):
            self._recorded = interpret(self._symbol, values)
        self.outputs = [array.detach() for array in self._recorded]

    def _backward(self, out_grads: Any, is_train: bool) -> None:
        if not self._recorded:
            self.forward(is_train)
        names = self._symbol.list_outputs()
        read = [tape.leads(array) for array in self._recorded]
        given = head_gradients(out_grads, names, self.outputs, read)
        rows = zip(self._symbol.edges, names, self._recorded, given, strict=True)
        reached = [row for row in rows if tape.leads(row[2])]
        for (node, _), name, _, head in reached:
            if head is None and _reads_heads(node):
                raise OpforgeError(
                    f"backward: the output {name!r} is not a loss, so its gradient is needed; pass "
                    "out_grads"
                )
        for name, request in self._requests.items():
            if request == "write":
                grad: Any = self._gradients.written[name]
                grad[:] = 0  # no output may depend on it
        if reached:
            heads, grads = [row[2] for row in reached], [row[3] for row in reached]
            autograd.backward(heads, grads, retain_graph=True, train_mode=is_train)
        if self._monitor is not None:
            self._monitor.after_backward(given, is_train)


def _reads_heads(node: Node) -> bool:
    """Return whether the gradient of a node depends on the gradients of its outputs."""
    prop = getattr(node.operation, "prop", None)
    return (
        getattr(prop, "need_top_grad_", True)
        and getattr(prop, "differentiable", True)
        and not getattr(prop, "zero_gradient", False)
    )
