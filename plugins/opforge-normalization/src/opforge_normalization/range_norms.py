"""Min-max normalization and centering, composed of the core's operators."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp


class _OverAxis(OperatorProp):
    """Base class of both operators, with the axis to normalize along; None: the whole array."""

    category = "normalization"
    attrs = {"FElementwiseShape": True}
    axis = Attribute(
        int, default=None, optional=True, doc="Axis to normalize along; None: the whole array."
    )
    argument_docs = {"data": "any shape, floating"}


class MinMaxNorm(_OverAxis):
    r"""Shift and scale into [0, 1]: (x - min) / (max - min).

    .. math:: y = \frac{x - \min x}{\max x - \min x}

    Examples
    --------
    >>> from opforge import nd
    >>> nd.min_max_norm(nd.array([2, 4, 6])).asnumpy().tolist()
    [0.0, 0.5, 1.0]
    """

    name = "min_max_norm"

    def compose(self, F: Any, data: Any) -> Any:
        """Return the normalized data; NaN for constant arrays, as the formula gives."""
        low = F.min(data, axis=self.axis, keepdims=True)
        high = F.max(data, axis=self.axis, keepdims=True)
        return F.broadcast_div(F.broadcast_sub(data, low), F.broadcast_sub(high, low))


class Center(_OverAxis):
    r"""Subtract the mean: x - mean(x).

    .. math:: y_i = x_i - \frac{1}{n} \sum_j x_j

    Examples
    --------
    >>> from opforge import nd
    >>> nd.center(nd.array([2, 4, 6])).asnumpy().tolist()
    [-2.0, 0.0, 2.0]
    """

    name = "center"

    def compose(self, F: Any, data: Any) -> Any:
        """Return the centered data."""
        return F.broadcast_sub(data, F.mean(data, axis=self.axis, keepdims=True))
