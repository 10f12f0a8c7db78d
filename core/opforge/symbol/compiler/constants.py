"""Constant folding: results that depend on no values are computed at compile time.

An operator with the named attribute ``IsConstant`` depends on shapes and types of its inputs alone:
zeros, ranges, ones like something. Native calls on constants are constants too.
"""

from collections.abc import Sequence
from typing import Any

from ...base.context import current_context
from ...native.array import empty
from ...native.graph import program as native
from ..node import Node, Type
from .call import Call

__all__ = ["constant_nodes", "evaluate", "is_constant"]

#: Larger constants are made in each run: they would occupy memory for as long as the graph lives.
_MOST_ELEMENTS = 1 << 18


def constant_nodes(order: Sequence[Node]) -> set[int]:
    """Return the ids of the nodes that are constants, which are cut off from what is none.

    Parameters
    ----------
    order : sequence of Node
        A lowered graph, inputs before their users.
    """
    found: set[int] = set()
    for node in order:
        if not _is_small(node):
            continue
        pure = bool(node.inputs) and node.is_pure
        if is_constant(node):
            # Whatever computed the values of its inputs is not needed for it.
            types = [source.types[index] for source, index in node.inputs]
            node.inputs = tuple((Node("", types=[known]), 0) for known in types)
            found.add(id(node))
        elif pure and all(id(source) in found for source, _ in node.inputs):
            found.add(id(node))
    return found


def is_constant(node: Node) -> bool:
    """Tell whether a node calls an operator that says that values do not matter."""
    return (
        node.operation is not None and node.plan is not None and node.operation.says("IsConstant")
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
    """Return the arrays that the calls of constants give, by slot.

    Inputs that are no constants only lend their shapes: any memory will do.
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
