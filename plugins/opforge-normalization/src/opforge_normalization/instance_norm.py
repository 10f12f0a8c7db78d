"""InstanceNorm: normalize each channel of each sample."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError


class InstanceNorm(OperatorProp):
    r"""Normalize each channel of each sample, then scale and shift it.

    .. math::

        y_{nc} = \gamma_c \, \frac{x_{nc} - \mu_{nc}}{\sqrt{\sigma_{nc}^2 + \epsilon}} + \beta_c

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[[1, 3], [10, 30]]])
    >>> print(nd.InstanceNorm(x, nd.ones((2,)), nd.zeros((2,))).asnumpy().round(2))
    [[[-1.  1.]
      [-1.  1.]]]
    """

    name = "InstanceNorm"
    category = "normalization"
    arguments = ("data", "gamma", "beta")
    dtypes = ("floating",)
    eps = Attribute(float, default=1e-3, gt=0, doc="Added to the variance.")
    argument_docs = {
        "data": "shape (n, channels, d1, ...), floating",
        "gamma": "shape (channels,)",
        "beta": "shape (channels,)",
    }

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape; gamma and beta have one element per channel."""
        data = in_shape[0]
        if len(data) < 3:
            raise ShapeError(
                f"operator 'InstanceNorm': data has shape {tuple(data)}; expected at least three "
                "dimensions (n, channels, d1, ...)"
            )
        channels = (data[1],)
        return [data, channels, channels], [data], []

    def _expect_one_per_channel(self, data: Any, **others: Any) -> None:
        """Validate the shapes of gamma and beta, which eager calls pass without inference."""
        expected = tuple(self.infer_shape([data])[0][1])
        for name, shape in others.items():
            # A symbol's shape may be unknown; inference checks graphs.
            if shape and 0 not in expected and tuple(shape) != expected:
                raise ShapeError(
                    f"operator 'InstanceNorm': {name} has shape {tuple(shape)}; expected "
                    f"{expected} because data has shape {tuple(data)}, with channels on axis 1"
                )

    def compose(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Normalize over all positions of a channel with the kernel of LayerNorm."""
        shape = data.shape
        self._expect_one_per_channel(shape, gamma=gamma.shape, beta=beta.shape)
        if data.size == 0:
            return F.identity(data)
        size = data.size // (shape[0] * shape[1])
        flat = data.reshape((shape[0] * shape[1], size))
        one, zero = F.ones((size,), dtype=data.dtype), F.zeros((size,), dtype=data.dtype)
        normal = F.LayerNorm(flat, one, zero, eps=self.eps).reshape(shape)
        by_channel = (1, -1) + (1,) * (len(shape) - 2)
        scaled = F.broadcast_mul(normal, gamma.reshape(by_channel))
        return F.broadcast_add(scaled, beta.reshape(by_channel))
