"""Operators moments and _histogram."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    F,
    Floats,
    OperatorProp,
    Shape,
    ShapeError,
    kernels,
)

from .arrays import axis_index, store

Dims = tuple[int, ...]


class Moments(OperatorProp):
    r"""Return the mean and the variance over axes.

    .. math::

        \mu = \frac{1}{n} \sum_i x_i, \qquad
        \sigma^2 = \frac{1}{n} \sum_i (x_i - \mu)^2

    Examples
    --------
    >>> from opforge import nd
    >>> mean, var = nd.moments(nd.array([[1, 2, 3], [4, 5, 6]]), axes=(0,))
    >>> mean.asnumpy().tolist(), var.asnumpy().tolist()
    ([2.5, 3.5, 4.5], [2.25, 2.25, 2.25])
    """

    name = "moments"
    category = "reduction"
    dtypes = ("floating",)
    argument_docs = {"data": "any shape, floating"}
    outputs = ("output0", "output1")
    saves = ("inputs", "outputs")
    attrs = {"IsPure": True}
    axes = Attribute(Shape, doc="Axes to reduce, at least one.")
    keepdims = Attribute(
        bool, default=False, doc="Whether the reduced axes are kept with length 1."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if not self.axes:
            raise AttributeValueError(
                "operator 'moments': axes is empty; pass all axes for the moments of all elements"
            )

    def _reduction(self, shape: Dims) -> tuple[list[int], Dims]:
        """Return the axes, and the shape of the results if they are kept."""
        axes = sorted({axis_index(self.name, axis, shape) for axis in self.axes})
        if len(axes) != len(self.axes):
            raise ShapeError(f"operator 'moments': axes={self.axes} has an axis twice")
        return axes, tuple(1 if i in axes else length for i, length in enumerate(shape))

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape without the axes, for both results."""
        shape = tuple(in_shape[0])
        if not shape:
            return in_shape, [None, None], []
        axes, kept = self._reduction(shape)
        rest = tuple(length for i, length in enumerate(shape) if i not in axes)
        out = kept if self.keepdims else rest or (1,)
        return in_shape, [out, out], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute both in float64."""
        data, mean = in_data[0], out_data[0]
        axes, kept = self._reduction(tuple(data.shape))
        if not data.size:
            if mean.size:
                raise ShapeError(
                    f"operator 'moments': data has shape {data.shape}; the moments of no elements "
                    "are undefined"
                )
            return
        results = [F.empty(kept, data.context, "float64") for _ in out_data]
        kernels.moments(data, *results, tuple(axes))
        for result, out, how in zip(results, out_data, req, strict=True):
            kernels.cast(result.reshape(out.shape), out, how)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of the mean and that of the squared deviations."""
        (data,) = in_data
        axes, kept = self._reduction(tuple(data.shape))
        scale = 1 / prod(data.shape[axis] for axis in axes) if data.size else 0.0
        mean, of_mean, of_var = (
            F.reshape(array, shape=kept) for array in (out_data[0], out_grad[0], out_grad[1])
        )
        deviations = F.broadcast_sub(data, mean)
        return [F.broadcast_add(F.broadcast_mul(deviations, of_var * (2 * scale)), of_mean * scale)]


class Histogram(OperatorProp):
    """Count the elements between edges; return the counts and the edges.

    The last interval contains its right edge. Elements outside of the edges and NaN are not
    counted.

    Examples
    --------
    >>> from opforge import nd
    >>> counts, edges = nd.histogram(nd.array([1, 2, 2, 4]), bins=3, range=(1, 4))
    >>> counts.asnumpy().tolist(), edges.asnumpy().tolist()
    ([1, 2, 1], [1.0, 2.0, 3.0, 4.0])
    """

    name = "_histogram"
    category = "reduction"
    dtypes = ("floating", "integer")
    arguments = ("data", "bins")
    argument_docs = {"data": "any shape", "bins": "(n + 1,), the edges, if bin_cnt is None"}
    outputs = ("output0", "output1")
    output_dtypes = {"output0": "int64"}
    differentiable = False
    attrs = {"IsPure": True}
    bin_cnt = Attribute(
        int, default=None, ge=1, doc="Number of intervals of equal width; None: `bins` is an input."
    )
    range = Attribute(Floats, default=None, doc="First and last edge of intervals of equal width.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if (self.bin_cnt is None) != (self.range is None):
            raise AttributeValueError(
                f"operator '{self.name}': bin_cnt is {self.bin_cnt} and range {self.range}; pass "
                "both, or neither and the edges as an input"
            )
        if self.range is not None and (len(self.range) != 2 or not self.range[0] <= self.range[1]):
            raise AttributeValueError(
                f"operator '{self.name}': range is {self.range}; expected the first and the last "
                "edge, in ascending order"
            )

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs: the edges only if they are not computed."""
        return ["data"] if self.bin_cnt is not None else ["data", "bins"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of counts and edges."""
        if self.bin_cnt is not None:
            return in_shape, [(self.bin_cnt,), (self.bin_cnt + 1,)], []
        edges = tuple(in_shape[1])
        if edges and (len(edges) != 1 or edges[0] == 1):
            raise ShapeError(
                f"operator '{self.name}': bins has shape {edges}; expected (n,) with n of at "
                "least 2"
            )
        known = bool(edges) and edges[0] > 0
        return in_shape, [(edges[0] - 1,) if known else None, edges or None], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the shape of the edges."""
        if self.bin_cnt is not None:
            return list(in_shapes)
        counts, edges = map(tuple, out_shapes)
        if not edges and counts and counts[0]:
            edges = (counts[0] + 1,)
        return [in_shapes[0], edges or in_shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Find the interval of each element by bisection."""
        data = np.asarray(in_data[0]).ravel()
        if self.range is None:
            edges = np.asarray(in_data[1])
        else:
            edges = self.equal_edges(self.range).astype(data.dtype)
        # The first edge above an element is found in the running maximum if edges are not sorted.
        sorted_edges = np.maximum.accumulate(edges)
        inside = data[(data >= edges[0]) & (data <= edges[-1])]
        intervals = np.searchsorted(sorted_edges, inside, "right") - 1
        counts = np.bincount(np.minimum(intervals, len(edges) - 2), minlength=len(edges) - 1)
        store(out_data[0], counts, req[0])
        store(out_data[1], edges, req[1])

    def equal_edges(self, limits: Sequence[float]) -> np.ndarray:
        """Return edges of intervals of equal width."""
        low, high = limits
        if low == high:
            low, high = low - 0.5, high + 0.5
        return np.linspace(low, high, (self.bin_cnt or 0) + 1)
