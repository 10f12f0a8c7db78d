"""Slices: slice, slice_axis, slice_like, and assignment to slices."""

from typing import Any

from ..native import calls
from ..op.declaring.attribute import Attribute, OptionalInts
from ..op.declaring.attribute import Shape as Ints
from ._operator import StdOperator, no_gradient, scratch, shape_error
from ._shapes import axis_index, slice_bounds

__all__: list[str] = []

Shape = tuple[int, ...]
Bounds = tuple[Any, Any, Any]


class _Slicing(StdOperator):
    """Base of operators that copy a slice; the gradient is zero elsewhere."""

    category = "shape"
    attrs = {"IsPure": True}
    saves = ("inputs",)
    #: The length of a slice of an unknown dimension is unknown.
    keeps_unknown = True

    def bounds(self, *shapes: Shape) -> Bounds:
        """Return begin, end and step, with an entry for each of the first axes."""
        raise NotImplementedError(type(self).__name__)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [slice_bounds(self.name, shapes[0], *self.bounds(*shapes))[2]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the slice."""
        shapes = [x.shape for x in in_data]
        first, step, _ = slice_bounds(self.name, shapes[0], *self.bounds(*shapes))
        calls.slice(in_data[0], out_data[0], first, step, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        begin, end, step = self.bounds(*[x.shape for x in in_data])
        rest = [no_gradient(F, x) for x in in_data[1:]]
        return [F._backward_slice(out_grad[0], in_data[0], begin, end, step), *rest]


class Slice(_Slicing):
    """Copy the slice from `begin` to `end`, which may contain None, along the first axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.slice(nd.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3)).asnumpy().tolist()
    [[2.0, 3.0], [5.0, 6.0]]
    """

    name = "slice"
    aliases = ("crop",)
    begin = Attribute(OptionalInts, doc="First index along each of the first axes.")
    end = Attribute(OptionalInts, doc="Index after the last one.")
    step = Attribute(OptionalInts, default=(), doc="Steps; may be negative.")

    def bounds(self, *shapes: Shape) -> Bounds:
        return self.begin, self.end, self.step


class SliceAxis(_Slicing):
    """Copy the slice from `begin` to `end` along an axis; both must be within bounds.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.array([[1, 2, 3], [4, 5, 6]])
    >>> nd.slice_axis(data, axis=1, begin=1, end=None).asnumpy().tolist()
    [[2.0, 3.0], [5.0, 6.0]]
    """

    name = "slice_axis"
    axis = Attribute(int, doc="The axis.")
    begin = Attribute(int, doc="First index.")
    end = Attribute(int, optional=True, doc="Index after the last one; None: to the end.")

    def bounds(self, *shapes: Shape) -> Bounds:
        axis = axis_index(self.name, self.axis, len(shapes[0]))
        self._expect_within(axis, shapes[0][axis])
        lead = (None,) * axis
        return (*lead, self.begin), (*lead, self.end), ()

    def _expect_within(self, axis: int, size: int) -> None:
        """Reject a slice that exceeds an axis, which `slice` truncates."""
        end = size if self.end is None else self.end
        first, last = (i + size if i < 0 else i for i in (self.begin, end))
        if size and not 0 <= first <= last <= size:
            raise shape_error(
                self.name,
                f"begin is {self.begin} and end {self.end}, expected a slice of axis {axis}, which "
                f"has {size} elements; slice() truncates to the bounds",
            )


class SliceLike(_Slicing):
    """Slice `data` from the start of each axis to the shape of `shape_like`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.slice_like(nd.array([[1, 2, 3], [4, 5, 6]]), nd.zeros((1, 2))).asnumpy().tolist()
    [[1.0, 2.0]]
    """

    name = "slice_like"
    arguments = ("data", "shape_like")
    argument_dtypes = {"shape_like": ("any",)}
    axes = Attribute(Ints, default=(), doc="Axes to slice; all if empty.")

    def bounds(self, *shapes: Shape) -> Bounds:
        data, like = shapes
        end: list[int | None] = [None] * len(data)
        if not self.axes and len(like) != len(data):
            raise shape_error(
                self.name, f"'data' has shape {data} and 'shape_like' {like}; pass axes=..."
            )
        for axis in self.axes or range(len(data)):
            at = axis_index(self.name, axis, len(data))
            end[at] = like[axis_index(self.name, axis, len(like))]
            if end[at] > data[at]:  # type: ignore[operator]
                raise shape_error(
                    self.name, f"axis {at} of 'data' has {data[at]} elements, fewer than {end[at]}"
                )
        return (None,) * len(data), tuple(end), ()


class BackwardSlice(StdOperator):
    """Write `ograd` to a slice of zeros like `like`."""

    name = "_backward_slice"
    arguments = ("ograd", "like")
    saves = ("inputs",)
    begin = Attribute(OptionalInts, doc="First index along each of the first axes.")
    end = Attribute(OptionalInts, doc="Index after the last one.")
    step = Attribute(OptionalInts, default=(), doc="Steps; may be negative.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write zeros and the slice."""
        grad, like = in_data
        first, step, _ = slice_bounds(self.name, like.shape, self.begin, self.end, self.step)
        calls.slice_grad(grad, out_data[0], first, step, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        back = F.slice(out_grad[0], self.begin, self.end, self.step)
        return [back, no_gradient(F, in_data[1])]


class SliceAssign(StdOperator):
    """Return `lhs` with a slice replaced by `rhs`."""

    name = "_slice_assign"
    aliases = ("_crop_assign",)
    arguments = ("lhs", "rhs")
    saves = ("inputs",)
    begin = Attribute(OptionalInts, doc="First index along each of the first axes.")
    end = Attribute(OptionalInts, doc="Index after the last one.")
    step = Attribute(OptionalInts, default=(), doc="Steps; may be negative.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        part = slice_bounds(self.name, shapes[0], self.begin, self.end, self.step)[2]
        if part != shapes[1]:
            raise shape_error(self.name, f"'rhs' has shape {shapes[1]}, the slice {part}")
        return [shapes[0]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy and replace."""
        whole, part = in_data
        first, step, _ = slice_bounds(self.name, whole.shape, self.begin, self.end, self.step)
        if req[0] == "add":
            both = scratch(whole, whole.shape)
            calls.unary("identity", whole, both)
            calls.slice_assign(both, part, first, step)
            calls.unary("identity", both, out_data[0], "add")
        elif req[0] != "null":
            calls.unary("identity", whole, out_data[0])
            calls.slice_assign(out_data[0], part, first, step)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        bounds = self.begin, self.end, self.step
        part = F.slice(out_grad[0], *bounds)
        return [F._slice_assign(out_grad[0], F.zeros_like(part), *bounds), part]


class SliceAssignScalar(StdOperator):
    """Return `data` with a slice replaced by a number."""

    name = "_slice_assign_scalar"
    aliases = ("_crop_assign_scalar",)
    saves = ("inputs",)
    scalar = Attribute(float, default=0.0, doc="The number.")
    begin = Attribute(OptionalInts, doc="First index along each of the first axes.")
    end = Attribute(OptionalInts, doc="Index after the last one.")
    step = Attribute(OptionalInts, default=(), doc="Steps; may be negative.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        slice_bounds(self.name, shapes[0], self.begin, self.end, self.step)
        return [shapes[0]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy and replace."""
        whole = in_data[0]
        first, step, shape = slice_bounds(self.name, whole.shape, self.begin, self.end, self.step)
        part, both = scratch(whole, shape), scratch(whole, whole.shape)
        calls.fill(part, self.scalar)
        calls.unary("identity", whole, both)
        calls.slice_assign(both, part, first, step)
        calls.unary("identity", both, out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        bounds = self.begin, self.end, self.step
        return [F._slice_assign_scalar(out_grad[0], 0.0, *bounds)]
