"""What is known of the outputs of one node, from what is known of its inputs."""

from collections.abc import Sequence

from ...base.context import current_context
from ...base.errors import ShapeError
from ...native.dispatch.plans import Plan, plan_for
from ...op.declaring.inference import UNKNOWN_TYPE
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
    types = [source.types[index] for source, index in node.inputs]
    if not _worth_asking(types):
        return
    plan: Plan = plan_for(operation.bound, current_context(), [(t.shape, t.code) for t in types])
    for (source, index), shape, code in zip(
        node.inputs, plan.in_shapes, plan.in_codes, strict=True
    ):
        if not source.types[index].known:
            _complete(source, index, Type(tuple(shape), code), node)
    node.types = [
        Type(tuple(shape), code)
        for shape, code in zip(plan.out_shapes, plan.out_codes, strict=True)
    ]
    node.plan = plan


def _worth_asking(types: Sequence[Type]) -> bool:
    """Tell whether something is known of the types and all that is not belongs to variables."""
    if not types:
        return True
    return types[0].known and all(t.code != UNKNOWN_TYPE for t in types)


def _complete(source: Node, index: int, found: Type, user: Node) -> None:
    """Note what an operator tells of one of its inputs."""
    if not source.is_variable:
        raise ShapeError(
            f"output {index} of {source.name!r} has the unknown shape {source.types[index].shape}, "
            f"{user.name!r} needs {found.shape}"
        )
    if source.types[index] is not UNKNOWN:
        source.types[index] = found
