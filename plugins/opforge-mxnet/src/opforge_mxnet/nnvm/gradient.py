"""``FGradient`` functions, which compute gradients of inputs from a node and those of its outputs.

Entries are arrays or symbols, so a function works for both. The gradient consists of calls of
operators, which are recorded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opforge.base.errors import OperatorNotFoundError
from opforge.op.registry.registry import lookup

from .operator import GradientNode, NNVMOperator

__all__ = [
    "elemwise_grad_use_in",
    "elemwise_grad_use_none",
    "elemwise_grad_use_out",
    "make_grad_node",
    "make_zero_grad_nodes",
]


@dataclass(frozen=True, slots=True)
class _ElemwiseGrad:
    """``FGradient`` that is one call with output gradients, then inputs, outputs or neither."""

    op_name: str
    reads: str

    def __call__(self, node: GradientNode, ograds: Sequence[Any]) -> list[Any]:
        used = {"inputs": node.inputs, "outputs": node.outputs, "": ()}[self.reads]
        known = lookup(self.op_name).prop_class.attributes
        attributes = {key: text for key, text in node.attrs.dict.items() if key in known}
        return make_grad_node(self.op_name, node, [*ograds, *used], attributes)

    @property
    def saves(self) -> tuple[str, ...]:
        """Names of the arrays that the backward call needs."""
        own = (self.reads,) if self.reads else ()
        return (*own, "inputs") if _copies_shapes(self.op_name) else own


def elemwise_grad_use_in(op_name: str) -> _ElemwiseGrad:
    """Return the ``FGradient`` that calls `op_name` with output gradients and inputs.

    Attributes that both operators have are passed on.
    """
    return _ElemwiseGrad(op_name, "inputs")


def elemwise_grad_use_out(op_name: str) -> _ElemwiseGrad:
    """Return the ``FGradient`` that calls `op_name` with output gradients and outputs.

    Attributes that both operators have are passed on.
    """
    return _ElemwiseGrad(op_name, "outputs")


def elemwise_grad_use_none(op_name: str) -> _ElemwiseGrad:
    """Return the ``FGradient`` that calls `op_name` with output gradients only.

    Attributes that both operators have are passed on.
    """
    return _ElemwiseGrad(op_name, "")


def make_grad_node(
    op_name: str,
    node: GradientNode,
    heads: Sequence[Any],
    attributes: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Call an operator as part of a gradient and return its outputs.

    Parameters
    ----------
    op_name : str
        Often a ``_backward_`` operator. One with `TIsBackward` and without inference has outputs
        like the inputs of `node`.
    node : GradientNode
    heads : sequence
        Its inputs: output gradients, inputs and outputs of `node`, or values computed from them.
    attributes : mapping of str to object, optional
    """
    function: Callable[..., Any] = getattr(node.F, op_name)
    keywords = dict(attributes or {})
    inputs = list(heads)
    if _copies_shapes(op_name):
        keywords["like"] = tuple(_position(inputs, item) for item in node.inputs)
    result = function(*inputs, **keywords)
    if isinstance(result, (list, tuple)):
        return list(result)
    names = result.list_outputs() if hasattr(result, "list_outputs") else [""]
    return [result] if len(names) == 1 else [result[i] for i in range(len(names))]


def make_zero_grad_nodes(node: GradientNode, ograds: Sequence[Any]) -> list[Any]:
    """Return zeros for each input: the ``FGradient`` of operators with zero gradient."""
    return [node.F.zeros_like(item) for item in node.inputs]


def _copies_shapes(op_name: str) -> bool:
    try:
        prop_class = lookup(op_name).prop_class
    except OperatorNotFoundError:
        return False  # it may be registered before the gradient is computed
    return issubclass(prop_class, NNVMOperator) and prop_class.copies_shapes


def _position(inputs: list[Any], item: Any) -> int:
    """Return the position of `item` in the inputs; append it if it is missing."""
    for position, known in enumerate(inputs):
        if known is item:
            return position
    inputs.append(item)
    return len(inputs) - 1
