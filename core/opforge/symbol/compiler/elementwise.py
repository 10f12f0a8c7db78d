"""Which nodes are one elementwise kernel of the core, whatever their operators are called."""

from typing import Any

from ...native.calls import computations
from ...op.calling.binding import attribute_names
from ..node import Node
from .call import Elementwise

__all__ = ["elementwise_of"]


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
    return Elementwise(kind, kernel, number, bool(prop.kernel_reverse))
