"""Operators that broadcast axes of length 1, and the sums of their gradients."""

from collections.abc import Sequence
from typing import Any

from ..native import calls
from ..op.declaring.attribute import Attribute
from ..op.declaring.attribute import Shape as Ints
from ._operator import StdOperator, no_gradient, shape_error
from ._shapes import axis_index, broadcast_shapes

__all__: list[str] = []

Shape = tuple[int, ...]


class BroadcastTo(StdOperator):
    """Broadcast `data` to a shape, in which 0 keeps a dimension.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.broadcast_to(nd.array([[1], [2]]), shape=(2, 3)).asnumpy().tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """

    name = "broadcast_to"
    category = "shape"
    attrs = {"IsPure": True}
    saves = ("inputs",)
    shape = Attribute(Ints, default=(), doc="Target shape; 0 keeps a dimension.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        lead = len(self.shape) - len(data)
        target = tuple(
            data[axis - lead] if size == 0 and axis >= lead else size
            for axis, size in enumerate(self.shape)
        )
        return [_broadcast_target(self.name, data, target)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Repeat."""
        calls.broadcast_to(in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        rest = [no_gradient(F, x) for x in in_data[1:]]
        return [F._backward_broadcast(out_grad[0], in_data[0]), *rest]


def _broadcast_target(operator: str, data: Shape, target: Sequence[int]) -> Shape:
    """Return `target` if `data` can be broadcast to it."""
    target = tuple(target)
    if len(target) < len(data) or broadcast_shapes(operator, data, target) != target:
        raise shape_error(operator, f"'data' of shape {data} cannot be broadcast to {target}")
    return target


class BroadcastAxis(BroadcastTo):
    """Broadcast axes of length 1 to given sizes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.broadcast_axis(nd.array([[1], [2]]), axis=1, size=3).asnumpy().tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """

    name = "broadcast_axis"
    aliases = ("broadcast_axes",)
    shape = None
    axis = Attribute(Ints, default=(), doc="Axes of length 1.")
    size = Attribute(Ints, default=(), doc="Their new sizes.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        target = list(data)
        if len(self.axis) != len(self.size):
            raise shape_error(
                self.name, f"axis {self.axis} and size {self.size} must have the same length"
            )
        for axis, size in zip(self.axis, self.size, strict=True):
            target[axis_index(self.name, axis, len(data))] = size
        return [_broadcast_target(self.name, data, target)]


class BroadcastLike(BroadcastTo):
    """Broadcast `lhs` to the shape of `rhs`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.broadcast_like(nd.array([[1], [2]]), nd.zeros((2, 3))).asnumpy().tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """

    name = "broadcast_like"
    arguments = ("lhs", "rhs")
    argument_dtypes = {"rhs": ("any",)}
    shape = None
    lhs_axes = Attribute(Ints, default=None, doc="Axes of `lhs` to broadcast.")
    rhs_axes = Attribute(Ints, default=None, doc="Corresponding axes of `rhs`.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        left, right = shapes
        if self.lhs_axes is None or self.rhs_axes is None:
            return [_broadcast_target(self.name, left, right)]
        if not self.lhs_axes or len(self.lhs_axes) != len(self.rhs_axes):
            raise shape_error(
                self.name,
                f"lhs_axes is {self.lhs_axes} and rhs_axes {self.rhs_axes}, expected the same "
                "number of axes, at least one",
            )
        target = list(left)
        for axis, other in zip(self.lhs_axes, self.rhs_axes, strict=True):
            target[axis_index(self.name, axis, len(left))] = right[
                axis_index(self.name, other, len(right))
            ]
        return [_broadcast_target(self.name, left, target)]


class BackwardBroadcast(StdOperator):
    """Sum `ograd` over broadcast axes, to the shape of `like`."""

    name = "_backward_broadcast"
    arguments = ("ograd", "like")
    saves = ("inputs",)
    attrs = {"IsUnbroadcast": True}

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Sum."""
        _sum_to(in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F.broadcast_like(out_grad[0], in_data[0]), no_gradient(F, in_data[1])]


class Unbroadcast(StdOperator):
    """Sum `data` over broadcast axes, to `shape`."""

    name = "_unbroadcast"
    saves = ("inputs",)
    attrs = {"IsUnbroadcast": True}
    shape = Attribute(Ints, doc="The shape before broadcasting.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [self.shape]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Sum."""
        _sum_to(in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F.broadcast_like(out_grad[0], in_data[0])]


def _sum_to(source: Any, target: Any, req: str) -> None:
    """Sum `source` over the axes along which `target` is broadcast to it."""
    lead = source.ndim - target.ndim
    axes = tuple(
        axis
        for axis, size in enumerate(source.shape)
        if axis < lead or target.shape[axis - lead] != size
    )
    if axes:
        held = target._view(0, (1,) * lead + target.shape)
        calls.reduce("sum", source, held, axes, req)
    else:
        calls.unary("identity", source._view(0, target.shape), target, req)
