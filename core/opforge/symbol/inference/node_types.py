"""Inference of one node's output types from those of its inputs."""

from ...base.context import current_context
from ...base.errors import ShapeError
from ...native.dispatch.plans import Plan, plan_for
from ...op.declaring.answers import UNKNOWN_TYPE
from ..node import UNKNOWN, Node, Type

__all__ = ["infer_node"]


def infer_node(node: Node) -> None:
    """Infer the types of a node's outputs where its inputs' are known well enough.

    Raises
    ------
    ShapeError, DTypeError
        Shapes or types do not fit.
    """
    operation = node.operation
    assert operation is not None
    if not _worth_asking(node):
        return
    types = [source.types[index] for source, index in node.inputs]
    given = [(t.shape, t.code) for t in types]
    try:
        plan: Plan = plan_for(operation.bound, current_context(), given)
    except ShapeError:
        if all(t.known for t in types):
            raise
        return  # other nodes may complete the shape; inference of the whole graph reports it
    for (source, index), shape, code in zip(
        node.inputs, plan.in_shapes, plan.in_codes, strict=True
    ):
        if not source.types[index].known:
            _complete(source, index, Type(tuple(shape), code))
    node.types = [
        Type(tuple(shape), code)
        for shape, code in zip(plan.out_shapes, plan.out_codes, strict=True)
    ]
    node.plan = plan


def _worth_asking(node: Node) -> bool:
    """Tell whether something is known of the inputs' types and all that is not can be completed.

    Those are variables, and constants like ``zeros((0, 4))``. What is between them and the node
    that would tell, the inference of the whole graph finds.
    """
    known = [source.types[index].known for source, index in node.inputs]
    if not known:
        return True
    return known[0] and all(
        is_known or (not source.inputs and source.types[index].code != UNKNOWN_TYPE)
        for is_known, (source, index) in zip(known, node.inputs, strict=True)
    )


def _complete(source: Node, index: int, found: Type) -> None:
    """Note what an operator tells of one of its inputs, a variable or a constant."""
    if source.types[index] is not UNKNOWN:
        source.types[index] = found
