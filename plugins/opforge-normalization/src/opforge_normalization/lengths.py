"""Division by sums of squares: of vectors (L2Normalization), and of neighbouring channels (LRN)."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, Floating, OperatorProp, ShapeError


class _BySquares(Floating, OperatorProp):
    """Base class of both operators: one shape, and float32 squares of float16 numbers."""

    category = "normalization"
    attrs = {"FElementwiseShape": True}
    _least = 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape."""
        (data,) = in_shape
        if data and len(data) < self._least:
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(data)}, expected at least "
                f"{self._least} dimensions (n, channels, ...)"
            )
        return [data], [data], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the result, computed in float32 at least: squares leave float16's range."""
        self.infer_shape([tuple(data.shape)])
        self.infer_type([data.dtype])
        if np.dtype(data.dtype) != np.float16:
            return self._divided(F, data)
        return F.cast(self._divided(F, F.cast(data, dtype="float32")), dtype="float16")

    def _divided(self, F: Any, data: Any) -> Any:
        raise NotImplementedError


class L2Normalization(_BySquares):
    r"""Divide vectors by their Euclidean length: of a sample, of its channels, or of each channel.

    .. math:: y = \frac{x}{\sqrt{\sum_i x_i^2 + \epsilon}}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.L2Normalization(nd.array([[3.0, 4.0]])).asnumpy())
    [[0.6 0.8]]
    """

    name = "L2Normalization"
    argument_docs = {"data": "shape (n, ...), for 'channel' and 'spatial' (n, channels, d1, ...)"}
    eps = Attribute(float, default=1e-10, ge=0, doc="Added to the sum of squares.")
    mode = Attribute(
        str,
        default="instance",
        choices=("channel", "instance", "spatial"),
        doc="What a vector is: a whole sample, all channels of a position, or a whole channel.",
    )

    @property
    def _least(self) -> int:  # type: ignore[override]
        return 1 if self.mode == "instance" else 3

    def _divided(self, F: Any, data: Any) -> Any:
        if data.size == 0:
            return F.identity(data)
        shape = tuple(data.shape)
        kept = {"instance": 1, "spatial": 2}.get(self.mode)
        vectors = data if kept is None else F.reshape(data, shape=(*shape[:kept], -1))
        squares = F.sum(F.square(vectors), axis=1 if kept is None else kept, keepdims=True)
        return F.reshape(F.broadcast_mul(vectors, F.rsqrt(squares + self.eps)), shape=shape)


class LRN(_BySquares):
    r"""Divide each element by a power of the squares of neighbouring channels' at its position.

    .. math::

        y_c = \frac{x_c}{\left(k + \frac{\alpha}{n} \sum_{|i - c| \le n / 2} x_i^2\right)^\beta}

    With x of channel c, and s the sum of the squares of `nsize` channels around c, the result is
    ``x / (knorm + alpha / nsize * s) ** beta``.
    """

    name = "LRN"
    argument_docs = {"data": "shape (n, channels, ...), floating"}
    alpha = Attribute(float, default=1e-4, doc="Factor of the mean of the squares.")
    beta = Attribute(float, default=0.75, doc="The power.")
    knorm = Attribute(float, default=2.0, doc="Added to the mean.")
    nsize = Attribute(int, ge=1, le=32768, doc="Number of channels that are looked at.")
    _least = 2

    def _divided(self, F: Any, data: Any) -> Any:
        shape = tuple(data.shape)
        if data.size == 0:
            return F.identity(data)
        before = min(self.nsize // 2, shape[1] - 1)
        after = min(self.nsize - 1 - self.nsize // 2, shape[1] - 1)
        squares = F.square(data)
        total = squares
        for step in range(1, max(before, after) + 1):
            nothing = F.zeros((shape[0], step, *shape[2:]), dtype=data.dtype)
            if step <= before:
                lower = F.slice_axis(squares, axis=1, begin=0, end=shape[1] - step)
                total = total + F.concat(nothing, lower, dim=1)
            if step <= after:
                upper = F.slice_axis(squares, axis=1, begin=step, end=shape[1])
                total = total + F.concat(upper, nothing, dim=1)
        return data * (total * (self.alpha / self.nsize) + self.knorm) ** -self.beta


OPERATORS = (L2Normalization, LRN)
