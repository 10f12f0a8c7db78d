"""Operator _split_v2: parts of equal or given lengths along an axis."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError, OperatorProp, Shape, ShapeError

from .arrays import axis_index, store

Dims = tuple[int, ...]


class SplitV2(OperatorProp):
    """Split into `sections` parts along an axis, or into those that begin at `indices`.

    If the length is not divisible by the number of sections, the first parts are longer by one.

    Examples
    --------
    >>> from opforge import nd
    >>> a, b = nd.split_v2(nd.array([1, 2, 3, 4, 5]), (2,))
    >>> a.asnumpy().tolist(), b.asnumpy().tolist()
    ([1.0, 2.0], [3.0, 4.0, 5.0])
    """

    name = "_split_v2"
    category = "shape"
    saves = ("inputs",)
    argument_docs = {"data": "any shape"}
    attrs = {"IsPure": True}
    indices = Attribute(Shape, doc="First index of each part, beginning with 0.")
    axis = Attribute(int, default=1, doc="Axis to split.")
    squeeze_axis = Attribute(
        bool, default=False, doc="Remove the axis; parts must have length 1 along it."
    )
    sections = Attribute(
        int, default=0, ge=0, counts=True, doc="Number of parts of equal length; 0: `indices`."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if not self.sections and (
            not self.indices
            or self.indices[0] != 0
            or any(first > last for first, last in pairwise(self.indices))
        ):
            raise AttributeValueError(
                f"operator '{self.name}': indices is {self.indices} and sections is 0; expected "
                "ascending indices that begin with 0"
            )

    def list_outputs(self) -> list[str]:
        """Return a name for each part."""
        count = self.sections or len(self.indices)
        return ["output"] if count == 1 else [f"output{i}" for i in range(count)]

    def _bounds(self, length: int) -> list[tuple[int, int]]:
        """Return the first index of each part and that after its last one."""
        starts: Sequence[int] = self.indices
        if self.sections:
            size, longer = divmod(length, self.sections)
            starts = [i * size + min(i, longer) for i in range(self.sections)]
        return list(pairwise([*starts, length]))

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of each part."""
        data = tuple(in_shape[0])
        count = len(self.list_outputs())
        if not data:
            return in_shape, [None] * count, []
        axis = axis_index(self.name, self.axis, data)
        if not data[axis]:
            rank = len(data) - (self.squeeze_axis and len(data) > 1)
            return in_shape, [(0,) * rank] * count, []
        bounds = self._bounds(data[axis])
        self._expect_parts(data, axis, bounds)
        return in_shape, [self._part(data, axis, stop - start) for start, stop in bounds], []

    def _expect_parts(self, data: Dims, axis: int, bounds: list[tuple[int, int]]) -> None:
        """Reject parts that exceed the data or cannot be squeezed."""
        if bounds[-1][0] > bounds[-1][1]:
            raise ShapeError(
                f"operator '{self.name}': indices is {self.indices}; expected at most "
                f"{data[axis]}, the length of axis {axis} of data of shape {data}"
            )
        lengths = [stop - start for start, stop in bounds]
        if self.squeeze_axis and set(lengths) != {1}:
            raise ShapeError(
                f"operator '{self.name}': axis {axis} of shape {data} is split into parts of "
                f"lengths {lengths}; squeeze_axis requires length 1"
            )

    def _part(self, data: Dims, axis: int, length: int) -> Dims:
        middle = () if self.squeeze_axis else (length,)
        return (*data[:axis], *middle, *data[axis + 1 :]) or (1,)

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the shape of the data that has such parts."""
        parts = [tuple(shape) for shape in out_shapes]
        if not all(parts) or (self.squeeze_axis and not in_shapes[0]):
            return list(in_shapes)
        if self.squeeze_axis:
            rank = len(in_shapes[0])
            axis = axis_index(self.name, self.axis, in_shapes[0])
            around = parts[0] if rank > 1 else ()
            return [(*around[:axis], len(parts), *around[axis:])]
        axis = axis_index(self.name, self.axis, parts[0])
        lengths = [shape[axis] for shape in parts]
        length = 0 if 0 in lengths else sum(lengths)
        return [(*parts[0][:axis], length, *parts[0][axis + 1 :])]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the parts."""
        data = np.asarray(in_data[0])
        axis = axis_index(self.name, self.axis, data.shape)
        bounds = self._bounds(data.shape[axis])
        self._expect_parts(data.shape, axis, bounds)
        lead = (slice(None),) * axis
        for (start, stop), out, how in zip(bounds, out_data, req, strict=True):
            store(out, data[(*lead, slice(start, stop))], how)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Join the gradients of the parts."""
        # Parts of a one-dimensional array keep the axis even if squeezed, as there are no scalars.
        if self.squeeze_axis and getattr(in_data[0], "ndim", 2) > 1:
            return [F.stack(*out_grad, axis=self.axis)]
        return [F.concat(*out_grad, dim=self.axis)]
