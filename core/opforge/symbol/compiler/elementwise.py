"""Recognition of nodes that are a single elementwise kernel of the core."""

from collections.abc import Iterable
from typing import Any

from ...native.calls import computations
from ...native.calls.elementwise import gives_mask
from ...native.dispatch.elementwise import watch_kernel
from ...op.calling.binding import attribute_names
from ..node import Node
from .call import Call, Elementwise

__all__ = ["elementwise_of", "masks_of"]


def elementwise_of(node: Node) -> Elementwise | None:
    """Return the kernel that is the entire operator of a node, if there is one.

    Parameters
    ----------
    node : Node
        A node that is not a variable, with known types.
    """
    if node.plan is None:
        return None
    prop: Any = node.plan.bound.prop
    if isinstance(node.plan.compute, computations.Unary):
        return Elementwise("unary", node.plan.compute.name)
    declared = getattr(prop, "elementwise_kernel", None)
    if declared is None:
        return None
    kind, kernel = declared
    number = getattr(prop, attribute_names(type(prop))[0]) if kind == "scalar" else None
    if kind != "unary":
        source, index = node.inputs[0]
        watch_kernel(kernel, source.types[index].code, number)
    return Elementwise(kind, kernel, number, bool(prop.kernel_reverse))


def masks_of(calls: Iterable[Call]) -> set[int]:
    """Return the slots of results of comparisons and logical operations, and of their reshapes.

    Parameters
    ----------
    calls : iterable of Call
        In the order in which they run, before fusion.
    """
    masks: set[int] = set()
    for call in calls:
        kernel_call = call.elementwise
        if (kernel_call is not None and gives_mask(kernel_call.kind, kernel_call.kernel)) or (
            call.identity and call.inputs[0] in masks
        ):
            masks.update(call.outputs)
    return masks
