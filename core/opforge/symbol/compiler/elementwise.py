"""Which nodes are one elementwise kernel of the core, whatever their operators are called."""

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
    """Return the kernel that is the whole operator of a node, if it is one.

    Parameters
    ----------
    node : Node
        One that computes something, its types known.
    """
    if node.plan is None:
        return None
    prop: Any = node.plan.bound.prop
    if isinstance(node.plan.compute, computations.Unary):
        return Elementwise("unary", node.plan.compute.name)
    whole = getattr(prop, "elementwise_kernel", None)
    if whole is None:
        return None
    kind, kernel = whole
    number = getattr(prop, attribute_names(type(prop))[0]) if kind == "scalar" else None
    if kind != "unary":
        source, index = node.inputs[0]
        watch_kernel(kernel, source.types[index].code, number)
    return Elementwise(kind, kernel, number, bool(prop.kernel_reverse))


def masks_of(calls: Iterable[Call]) -> set[int]:
    """Return the slots of what comparisons and logical operations give, and of other shapes of it.

    Parameters
    ----------
    calls : iterable of Call
        In the order in which they run, none of them fused.
    """
    masks: set[int] = set()
    for call in calls:
        how = call.elementwise
        if (how is not None and gives_mask(how.kind, how.kernel)) or (
            call.identity and call.inputs[0] in masks
        ):
            masks.update(call.outputs)
    return masks
