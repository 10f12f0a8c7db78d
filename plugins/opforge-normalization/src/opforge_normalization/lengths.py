"""L2Normalization and LRN, which divide by sums of squares."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, element_type


class _SquareNorm(OperatorProp):
    """Base class of both operators: shape inference, and float32 arithmetic for float16."""

    category = "normalization"
    dtypes = ("floating",)
    attrs = {"FElementwiseShape": True}
    _min_ndim = 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape."""
        (data,) = in_shape
        if data and len(data) < self._min_ndim:
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(data)}; expected at least "
                f"{self._min_ndim} dimensions (n, channels, ...)"
            )
        return [data], [data], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the result, computed in at least float32, as squares overflow 16 bits."""
        self.infer_shape([tuple(data.shape)])
        own = element_type(data.dtype)
        if not own.is_half:
            return self._normalize(F, data)
        return F.cast(self._normalize(F, F.cast(data, dtype="float32")), dtype=own.name)

    def _normalize(self, F: Any, data: Any) -> Any:
        raise NotImplementedError


class L2Normalization(_SquareNorm):
    r"""Divide vectors by their Euclidean norm, over samples, channels or spatial positions.

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
        doc="A vector is a sample (instance), the channels of a position, or a channel (spatial).",
    )

    @property
    def _min_ndim(self) -> int:  # type: ignore[override]
        return 1 if self.mode == "instance" else 3

    def _normalize(self, F: Any, data: Any) -> Any:
        if data.size == 0:
            return F.identity(data)
        shape = tuple(data.shape)
        kept = {"instance": 1, "spatial": 2}.get(self.mode)
        vectors = data if kept is None else data.reshape((*shape[:kept], -1))
        squares = F.sum(F.square(vectors), axis=1 if kept is None else kept, keepdims=True)
        return F.broadcast_mul(vectors, F.rsqrt(squares + self.eps)).reshape(shape)


class LRN(_SquareNorm):
    r"""Local response normalization: divide by a power of the squares of adjacent channels.

    .. math::

        y_c = \frac{x_c}{\left(k + \frac{\alpha}{n} \sum_{|i - c| \le n / 2} x_i^2\right)^\beta}

    For x in channel c and s the sum of the squares of `nsize` channels around c at its position,
    the result is ``x / (knorm + alpha / nsize * s) ** beta``.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[[[1]], [[2]], [[3]]]])
    >>> print(nd.LRN(x, nsize=3, alpha=1, knorm=1).asnumpy().ravel().round(2))
    [0.48 0.54 0.85]
    """

    name = "LRN"
    argument_docs = {"data": "shape (n, channels, ...), floating"}
    alpha = Attribute(float, default=1e-4, doc="Factor of the mean of the squares.")
    beta = Attribute(float, default=0.75, doc="Exponent of the divisor.")
    knorm = Attribute(float, default=2.0, doc="Added to the scaled mean.")
    nsize = Attribute(int, ge=1, le=32768, doc="Number of adjacent channels in a sum.")
    _min_ndim = 2

    def _normalize(self, F: Any, data: Any) -> Any:
        shape = tuple(data.shape)
        if data.size == 0:
            return F.identity(data)
        before = min(self.nsize // 2, shape[1] - 1)
        after = min(self.nsize - 1 - self.nsize // 2, shape[1] - 1)
        squares = F.square(data)
        total = squares
        for step in range(1, max(before, after) + 1):
            zeros = F.zeros((shape[0], step, *shape[2:]), dtype=data.dtype)
            if step <= before:
                lower = F.slice_axis(squares, axis=1, begin=0, end=shape[1] - step)
                total = total + F.concat(zeros, lower, dim=1)
            if step <= after:
                upper = F.slice_axis(squares, axis=1, begin=step, end=shape[1])
                total = total + F.concat(upper, zeros, dim=1)
        return data * (total * (self.alpha / self.nsize) + self.knorm) ** -self.beta
