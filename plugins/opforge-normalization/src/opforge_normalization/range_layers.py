"""Layers without parameters: min-max normalisation and centring."""

from typing import Any

from opforge.plugin_api import HybridBlock


class MinMaxNormalization(HybridBlock):
    """Shift and scale the input into [0, 1].

    Parameters
    ----------
    axis : int, optional
        Axis whose slices are normalised by themselves; None: the whole array by its extremes.

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
        """Return the normalised input."""
        return F.min_max_norm(x, axis=self._axis)


class Centering(HybridBlock):
    """Subtract the input's mean.

    Parameters
    ----------
    axis : int, optional
        Axis whose slices are centred by themselves; None: the whole array.

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
        """Return the centred input."""
        return F.center(x, axis=self._axis)


LAYERS = (MinMaxNormalization, Centering)
