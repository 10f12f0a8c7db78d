"""Dropout layer."""

from typing import Any

from opforge.plugin_api import HybridBlock


class Dropout(HybridBlock):
    """Set random elements of the input to 0 during training.

    Parameters
    ----------
    rate : float
        Fraction of elements to drop; the others are divided by ``1 - rate``.
    axes : tuple of int, default ()
        Axes along which elements are dropped together.

    Examples
    --------
    >>> from opforge import autograd, gluon, nd
    >>> layer = gluon.nn.Dropout(0.5)
    >>> layer(nd.ones((3,))).asnumpy().tolist()
    [1.0, 1.0, 1.0]
    >>> with autograd.train_mode():
    ...     y = layer(nd.ones((1000,)))
    >>> sorted(set(y.asnumpy().tolist()))
    [0.0, 2.0]
    """

    def __init__(self, rate: float, axes: tuple[int, ...] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rate = rate
        self._axes = axes

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x` with elements dropped."""
        if self._rate > 0:
            return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"
