"""Normalisation by the range and by the mean, composed of the core's operators."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp


class _OverAxis(OperatorProp):
    """Base class of both operators: the axis, None for the whole array."""

    category = "normalization"
    attrs = {"FElementwiseShape": True}
    axis = Attribute(
        int, default=None, optional=True, doc="Axis that is normalised by itself; None: all."
    )
    argument_docs = {"data": "any shape, floating"}


class MinMaxNorm(_OverAxis):
    r"""Shift and scale into [0, 1]: (x - min) / (max - min).

    .. math:: y = \frac{x - \min x}{\max x - \min x}
    """

    name = "min_max_norm"

    def compose(self, F: Any, data: Any) -> Any:
        """Return the normalised data; a constant array gives nan, as the formula does."""
        low = F.min(data, axis=self.axis, keepdims=True)
        high = F.max(data, axis=self.axis, keepdims=True)
        return F.broadcast_div(F.broadcast_sub(data, low), F.broadcast_sub(high, low))


class Center(_OverAxis):
    r"""Subtract the mean: x - mean(x).

    .. math:: y_i = x_i - \frac{1}{n} \sum_j x_j
    """

    name = "center"

    def compose(self, F: Any, data: Any) -> Any:
        """Return the centred data."""
        return F.broadcast_sub(data, F.mean(data, axis=self.axis, keepdims=True))


OPERATORS = (MinMaxNorm, Center)
