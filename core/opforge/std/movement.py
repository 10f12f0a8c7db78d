"""Operators that rearrange elements: transpose, flip, concatenate and split."""

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

from ..native import calls
from ..op.declaring.attribute import Attribute
from ..op.declaring.attribute import Shape as Ints
from ..op.declaring.inference import united
from ..op.declaring.layouts import BlockedForm
from ._operator import StdOperator, no_gradient, shape_error
from ._shapes import axis_index, common_shape, reduction_axes

__all__: list[str] = []

Shape = tuple[int, ...]


def _invert_permutation(shape: Shape, axes: Shape) -> Shape:
    """Return the shape before a permutation of its axes to `shape`."""
    return tuple(shape[axes.index(axis)] for axis in range(len(axes)))


class _Permutation(StdOperator):
    """Base of operators that permute axes; `_axes` returns the old axis at each position."""

    category = "shape"
    attrs = {"IsPure": True}
    saves = ()

    def _axes(self, ndim: int) -> Shape:
        raise NotImplementedError

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        return [tuple(data[axis] for axis in self._axes(len(data)))] if data else [()]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer the shape of the input."""
        return [_invert_permutation(out_shapes[0], self._axes(len(out_shapes[0])))]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Permute."""
        calls.transpose(in_data[0], out_data[0], self._axes(in_data[0].ndim), req[0])


class Transpose(_Permutation):
    """Permute the axes; reverse them if `axes` is empty.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.transpose(nd.array([[1, 2, 3], [4, 5, 6]])).asnumpy().tolist()
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """

    name = "transpose"
    axes = Attribute(Ints, default=(), doc="Input axis for each axis of the result.")

    def _axes(self, ndim: int) -> Shape:
        if not self.axes:
            return tuple(range(ndim))[::-1]
        axes = tuple(axis_index(self.name, axis, ndim) for axis in self.axes)
        if sorted(axes) != list(range(ndim)):
            raise shape_error(
                self.name, f"axes {self.axes} are not a permutation of the {ndim} axes of 'data'"
            )
        return axes

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        if not self.axes:
            return [F.transpose(out_grad[0])]
        axes = self._axes(len(self.axes))
        return [F.transpose(out_grad[0], tuple(axes.index(i) for i in range(len(axes))))]


class SwapAxis(_Permutation):
    """Exchange two axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.SwapAxis(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
    (4, 3, 2)
    """

    name = "SwapAxis"
    aliases = ("swapaxes",)
    dim1 = Attribute(int, default=0, doc="One axis.")
    dim2 = Attribute(int, default=0, doc="The other axis.")

    def _axes(self, ndim: int) -> Shape:
        axes = list(range(ndim))
        one = axis_index(self.name, self.dim1, ndim)
        other = axis_index(self.name, self.dim2, ndim)
        axes[one], axes[other] = other, one
        return tuple(axes)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F.SwapAxis(out_grad[0], self.dim1, self.dim2)]


class Flip(StdOperator):
    """Reverse the order of the elements along axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.reverse(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy().tolist()
    [[3.0, 2.0, 1.0], [6.0, 5.0, 4.0]]
    """

    name = "reverse"
    aliases = ("flip",)
    category = "shape"
    saves = ()
    attrs = {"FElementwiseShape": True, "IsPure": True}
    axis = Attribute(Ints, doc="Axes to reverse.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Reverse."""
        axes = reduction_axes(self.name, self.axis, in_data[0].ndim) if self.axis else ()
        calls.flip(in_data[0], out_data[0], axes, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F.reverse(out_grad[0], self.axis)]


class _Joining(StdOperator):
    """Base of operators with any number of inputs of the same type."""

    category = "shape"
    attrs = {"IsPure": True}
    variadic = "num_args"
    arguments = ("data",)
    num_args = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")


class Concat(_Joining):
    """Concatenate arrays along an existing axis.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.Concat(nd.array([[1], [2]]), nd.array([[3], [4]]), dim=1).asnumpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    name = "Concat"
    aliases: ClassVar[Sequence[str]] = ("concat",)
    saves = ("inputs",)
    dim = Attribute(int, default=1, doc="The axis.")

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Merge the known dimensions of all inputs, except along the axis."""
        known = [shape for shape in shapes if shape]
        if not known or (all(0 not in shape for shape in shapes) and len(known) == len(shapes)):
            return shapes
        ndim = len(known[0])
        axis = axis_index(self.name, self.dim, ndim)
        common = [max((s[i] for s in known if len(s) == ndim), default=0) for i in range(ndim)]
        common[axis] = 0
        return [
            tuple(have or want for have, want in zip(shape, common, strict=False))
            if shape
            else tuple(common)
            for shape in shapes
        ]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer shapes of inputs from the output, including one unknown length along the axis."""
        out = out_shapes[0]
        axis = axis_index(self.name, self.dim, len(out))
        lengths = [shape[axis] if shape else 0 for shape in in_shapes]
        if lengths.count(0) == 1 and out[axis]:
            lengths[lengths.index(0)] = out[axis] - sum(lengths)
        return [(*out[:axis], length, *out[axis + 1 :]) for length in lengths]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        first = next((shape for shape in shapes if shape), ())
        if not all(shapes):
            return [()]
        axis = axis_index(self.name, self.dim, len(first))
        for position, shape in enumerate(shapes):
            if len(shape) != len(first) or any(
                have != want
                for at, (have, want) in enumerate(zip(shape, first, strict=True))
                if at != axis
            ):
                raise shape_error(
                    self.name,
                    f"input number {position} has shape {shape}, the first {first}; they may "
                    f"differ only along axis {axis}",
                )
        total = sum(shape[axis] for shape in shapes)
        return [(*first[:axis], total, *first[axis + 1 :])]

    def keeps_order(self, in_shapes: Sequence[Shape]) -> bool:
        """Return whether the result is the inputs' elements in order."""
        axis = axis_index(self.name, self.dim, len(in_shapes[0]))
        return prod(in_shapes[0][:axis]) == 1

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the inputs."""
        axis = axis_index(self.name, self.dim, out_data[0].ndim)
        calls.concat(tuple(in_data), out_data[0], axis, req[0])

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> BlockedForm | None:
        """Concatenate blocked arrays of the same layout."""
        layout = inputs[0].layout
        if layout is None or any(item.layout != layout for item in inputs):
            return None
        axis = axis_index(self.name, self.dim, len(inputs[0].shape))
        return BlockedForm([layout] * len(inputs), [layout], {"dim": axis})

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        if len(in_data) == 1:
            return [out_grad[0]]
        return list(F._backward_concat(out_grad[0], *in_data, dim=self.dim))


class ConcatRecurrent(Concat):
    """Concatenate the flat parameters of a recurrent layer.

    Weights for inputs of unknown size are equally long, one for each direction.
    """

    name = "_rnn_param_concat"
    aliases = ()
    dim = Attribute(int, default=0, doc="The axis.")

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        if len(out_shapes[0]) != 1:
            return super().infer_inputs(in_shapes, out_shapes)
        total = out_shapes[0][0]
        lengths = [shape[0] if shape else 0 for shape in in_shapes]
        rest, unknown = total - sum(lengths), lengths.count(0)
        if total and unknown and rest % unknown == 0:
            lengths = [length or rest // unknown for length in lengths]
        return [(length,) for length in lengths]


class BackwardConcat(_Joining):
    """Split `ograd` into parts with the shapes of the other inputs."""

    name = "_backward_concat"
    saves = ("inputs",)
    dim = Attribute(int, default=1, doc="The axis.")

    def list_outputs(self) -> list[str]:
        return [f"output{i}" for i in range(self.num_args - 1)]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return list(shapes[1:])

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the parts."""
        whole = in_data[0]
        axis = axis_index(self.name, self.dim, whole.ndim)
        begin, step = [0] * whole.ndim, (1,) * whole.ndim
        for out, how in zip(out_data, req, strict=True):
            calls.slice(whole, out, tuple(begin), step, how)
            begin[axis] += out.shape[axis]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        rest = [no_gradient(F, x) for x in in_data[1:]]
        return [F.Concat(*out_grad, dim=self.dim), *rest]


class Stack(_Joining):
    """Stack arrays of the same shape along a new axis.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.stack(nd.array([1, 2]), nd.array([3, 4]), axis=1).asnumpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    name = "stack"
    saves = ("inputs",)
    axis = Attribute(int, default=0, doc="Position of the new axis.")

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Merge the known dimensions of all inputs."""
        common = common_shape(shapes)
        if not common:
            return shapes
        return [
            tuple(have or want for have, want in zip(shape or common, common, strict=True))
            for shape in shapes
        ]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        first = shapes[0]
        for position, shape in enumerate(shapes):
            if shape != first:
                raise shape_error(
                    self.name, f"input number {position} has shape {shape}, the first {first}"
                )
        axis = axis_index(self.name, self.axis, len(first) + 1)
        return [(*first[:axis], len(shapes), *first[axis:])]

    def keeps_order(self, in_shapes: Sequence[Shape]) -> bool:
        """Return whether the result is the inputs' elements in order."""
        axis = axis_index(self.name, self.axis, len(in_shapes[0]) + 1)
        return prod(in_shapes[0][:axis]) == 1

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the inputs."""
        out = out_data[0]
        axis = axis_index(self.name, self.axis, out.ndim)
        part = (*out.shape[:axis], 1, *out.shape[axis + 1 :])
        calls.concat(tuple(x._view(0, part) for x in in_data), out, axis, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        parts = F.SliceChannel(out_grad[0], self.num_args, self.axis, True)
        parts = list(parts) if self.num_args > 1 else [parts]
        # A part of a one-dimensional array has shape (1,), but the input may have shape ().
        if getattr(in_data[0], "ndim", 1) == 0:
            return [part.reshape(()) for part in parts]
        return parts


class SliceChannel(StdOperator):
    """Split into equal parts along an axis.

    Examples
    --------
    >>> from opforge import nd
    >>> a, b = nd.SliceChannel(nd.array([[1, 2, 3, 4]]), num_outputs=2, axis=1)
    >>> a.asnumpy().tolist(), b.asnumpy().tolist()
    ([[1.0, 2.0]], [[3.0, 4.0]])
    """

    name = "SliceChannel"
    aliases = ("split",)
    category = "shape"
    saves = ("inputs",)
    num_outputs = Attribute(int, ge=1, counts=True, doc="Number of parts.")
    axis = Attribute(int, default=1, doc="Axis to split.")
    squeeze_axis = Attribute(
        bool, default=False, doc="Remove the axis; parts must have length 1 along it."
    )

    def list_outputs(self) -> list[str]:
        return [f"output{i}" for i in range(self.num_outputs)]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, parts = shapes[0], self.num_outputs
        if not data:
            return [()] * parts
        axis = axis_index(self.name, self.axis, len(data))
        size = data[axis] // parts
        if size * parts != data[axis] or (self.squeeze_axis and size != 1):
            raise shape_error(
                self.name,
                f"axis {axis} of shape {data} cannot be split into num_outputs={parts} equal parts"
                + (" of length 1, which squeeze_axis requires" if self.squeeze_axis else ""),
            )
        middle = () if self.squeeze_axis else (size,)
        return [(data[:axis] + middle + data[axis + 1 :]) or (1,)] * parts

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer the shape of the input from those of the parts."""
        data: Shape = in_shapes[0]
        part: Shape = ()
        for shape in out_shapes:
            part = united(part, tuple(shape)) or part
        if not data or not part:
            return list(in_shapes)
        axis = axis_index(self.name, self.axis, len(data))
        size, after = (1, axis) if self.squeeze_axis else (part[axis], axis + 1)
        return [(*part[:axis], size * self.num_outputs, *part[after:])]

    def keeps_order(self, in_shapes: Sequence[Shape]) -> bool:
        """Return whether the parts are the input's elements in order."""
        axis = axis_index(self.name, self.axis, len(in_shapes[0]))
        return prod(in_shapes[0][:axis]) == 1

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the parts."""
        x = in_data[0]
        axis = axis_index(self.name, self.axis, x.ndim)
        size = x.shape[axis] // self.num_outputs
        part = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        begin, step = [0] * x.ndim, (1,) * x.ndim
        for out, how in zip(out_data, req, strict=True):
            calls.slice(x, out._view(0, part), tuple(begin), step, how)
            begin[axis] += size

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        # Parts of a one-dimensional array keep the axis even if squeezed, as there are no scalars.
        if self.squeeze_axis and getattr(in_data[0], "ndim", 2) > 1:
            return [F.stack(*out_grad, axis=self.axis)]
        return [F.Concat(*out_grad, dim=self.axis)]
