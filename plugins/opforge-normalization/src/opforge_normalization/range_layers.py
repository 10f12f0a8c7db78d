"""Layers without parameters: min-max normalization and centering."""

from typing import Any

from opforge.plugin_api import HybridBlock


class MinMaxNormalization(HybridBlock):
    """Shift and scale the input into [0, 1].

    Parameters
    ----------
    axis : int, optional
        Axis along which each slice is normalized separately; None: the whole array.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.MinMaxNormalization()(nd.array([1.0, 2.0, 3.0])).asnumpy().tolist()
    [0.0, 0.5, 1.0]
    """

    def __init__(self, axis: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._axis = axis

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the normalized input."""
        return F.min_max_norm(x, axis=self._axis)


class Centering(HybridBlock):
    """Subtract the input's mean.

    Parameters
    ----------
    axis : int, optional
        Axis along which each slice is centered separately; None: the whole array.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.Centering()(nd.array([1.0, 2.0, 3.0])).asnumpy().tolist()
    [-1.0, 0.0, 1.0]
    """

    def __init__(self, axis: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._axis = axis

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the centered input."""
        return F.center(x, axis=self._axis)
