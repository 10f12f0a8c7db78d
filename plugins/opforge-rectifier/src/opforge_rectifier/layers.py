"""Layers of the variants of LeakyReLU, and Swish."""

from typing import Any

from opforge.plugin_api import HybridBlock, initializer


class LeakyReLU(HybridBlock):
    """Leaky rectified linear unit: multiply negative elements by `alpha`.

    Parameters
    ----------
    alpha : float, 0 or more

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.LeakyReLU(0.5)(nd.array([-1.0, 2.0])).asnumpy().tolist()
    [-0.5, 2.0]
    """

    def __init__(self, alpha: float, **kwargs: Any) -> None:
        if alpha < 0:
            raise ValueError(f"LeakyReLU: alpha is {alpha}; expected 0 or more")
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of `x`."""
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(HybridBlock):
    """Parametric rectified linear unit: multiply negative elements by learned slopes.

    Parameters
    ----------
    alpha_initializer : Initializer, optional
        Initializer of the slopes; None starts all of them at 0.25.
    in_channels : int, default 1
        Number of slopes: 1, or the number of channels on axis 1.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.PReLU()
    >>> layer.initialize()
    >>> layer(nd.array([-1.0, 2.0])).asnumpy().tolist()
    [-0.25, 2.0]
    """

    def __init__(self, alpha_initializer: Any = None, in_channels: int = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        init = initializer.Constant(0.25) if alpha_initializer is None else alpha_initializer
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=init)

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        """Return the activation of `x`."""
        return F.LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(HybridBlock):
    """Exponential linear unit: negative elements tend to ``-alpha``.

    Parameters
    ----------
    alpha : float, default 1.0

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.ELU(alpha=2)(nd.array([-100.0, 2.0])).asnumpy().tolist()
    [-2.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of `x`."""
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """Scaled exponential linear unit, which keeps mean 0 and variance 1 from layer to layer.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> print(gluon.nn.SELU()(nd.array([1.0])).asnumpy())
    [1.050701]
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of `x`."""
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(HybridBlock):
    """Gaussian error linear unit: `x` times the standard normal probability of values below `x`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.GELU()(nd.array([-100.0, 0.0, 100.0])).asnumpy().tolist()
    [-0.0, 0.0, 100.0]
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of `x`."""
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(HybridBlock):
    """Multiply each element by the sigmoid of `beta` times itself.

    Parameters
    ----------
    beta : float, default 1.0

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.Swish(beta=2)(nd.array([0.0, 100.0])).asnumpy().tolist()
    [0.0, 100.0]
    """

    def __init__(self, beta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of `x`."""
        # The sigmoid in terms of tanh: another plugin provides the operator `sigmoid`.
        return x * (0.5 + 0.5 * F.tanh(0.5 * self._beta * x))
