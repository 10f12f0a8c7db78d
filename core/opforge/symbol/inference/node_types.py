"""Inference of one node's output types from the types of its inputs."""

from collections.abc import Sequence

from ...base.context import current_context
from ...base.errors import ShapeError
from ...native.dispatch.plans import Plan, plan_for
from ...op.declaring.validation import UNKNOWN_TYPE
from ..node import Node, Type

__all__ = ["infer_node"]


def infer_node(node: Node) -> None:
    """Infer the types of a node's outputs if enough is known about its inputs.

    Raises
    ------
    ShapeError, DTypeError
        Shapes or types do not match.
    """
    assert node.operation is not None
    types = [source.types[index] for source, index in node.inputs]
    unknown = [position for position, found in enumerate(types) if not found.known]
    if not _can_complete(node, unknown):
        return
    try:
        plan: Plan = plan_for(node.operation.bound, current_context(), types)
    except ShapeError:
        if not unknown:
            raise
        return  # Inference of the whole graph may complete the shape, and reports it if not.
    for position in unknown:
        source, index = node.inputs[position]
        if not source.types[index].known:
            source.types[index] = Type(tuple(plan.in_shapes[position]), plan.in_codes[position])
    node.types = [
        Type(tuple(shape), code)
        for shape, code in zip(plan.out_shapes, plan.out_codes, strict=True)
    ]
    node.plan = plan


def _can_complete(node: Node, unknown: Sequence[int]) -> bool:
    """Return whether the types of all unknown inputs, by position, can be completed.

    Only variables, and constants such as ``zeros((0, 4))``, can be completed here, from the type of
    the first input. Types that other nodes determine are left to the inference of the whole graph.
    """
    for position in unknown:
        source, index = node.inputs[position]
        if position == 0 or source.inputs or source.types[index].code == UNKNOWN_TYPE:
            return False
    return True
