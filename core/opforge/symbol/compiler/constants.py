"""Constant folding: results that depend on no values are computed at compile time.

An operator with the named attribute ``IsConstant`` depends only on the shapes and types of its
inputs, for example zeros, ranges and ones_like. Native calls on constants are constants too.
"""

from collections.abc import Sequence
from typing import Any

from ...base.context import current_context
from ...native.array import empty
from ...native.graph import program as native
from ..node import Node, Type
from .call import Call

__all__ = ["constant_nodes", "evaluate", "is_constant"]

#: Larger constants are computed in each run: they would occupy memory as long as the graph lives.
_MOST_ELEMENTS = 1 << 18


def constant_nodes(order: Sequence[Node]) -> set[int]:
    """Return the ids of the constant nodes, which are disconnected from inputs that are not.

    Parameters
    ----------
    order : sequence of Node
        A lowered graph in topological order.
    """
    found: set[int] = set()
    for node in order:
        if node.is_variable or not _is_small(node):
            continue
        if is_constant(node):
            # Only the types of its inputs matter, so the nodes that compute them may be dropped.
            types = [source.types[index] for source, index in node.inputs]
            node.inputs = tuple((Node("", types=[known]), 0) for known in types)
            found.add(id(node))
        elif found and node.is_pure and found.issuperset([id(source) for source, _ in node.inputs]):
            found.add(id(node))
    return found


def is_constant(node: Node) -> bool:
    """Return whether a node calls an operator whose result does not depend on values."""
    return (
        node.operation is not None
        and node.plan is not None
        and node.operation.has_flag("IsConstant")
    )


def _is_small(node: Node) -> bool:
    for found in node.types:
        count = 1
        for dim in found.shape:
            count *= dim
        if count > _MOST_ELEMENTS:
            return False
    return True


def evaluate(calls: Sequence[Call], types: Sequence[Type]) -> dict[int, Any]:
    """Return the results of calls of constants, by slot.

    Inputs that are not constants only provide shapes: their memory is uninitialized.
    """
    context = current_context()
    arrays: list[Any] = [None] * len(types)
    made: dict[int, Any] = {}
    rows = []
    for call in calls:
        for slot in (*call.inputs, *call.outputs):
            if arrays[slot] is None:
                arrays[slot] = empty(types[slot].shape, types[slot].code, context)
        made[call.key] = step = call.make(made)
        rows.append((step, call.label, call.inputs, call.outputs))
    native.Program(rows, arrays).run(0, len(rows), False)
    return {slot: arrays[slot] for call in calls for slot in call.outputs}
