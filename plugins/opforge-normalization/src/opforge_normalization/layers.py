"""Normalization layers with learnable scale and shift."""

from typing import Any

from opforge.plugin_api import HybridBlock, element_type


class _Affine(HybridBlock):
    """Base class of layers that normalize along one axis, scale by gamma and shift by beta.

    `axis` has `in_channels` elements; 0: taken from the first input. The defaults are those of
    `LayerNorm`.
    """

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._axis = axis
        self._epsilon = epsilon
        self.in_channels = in_channels
        self._center = center
        self._scale = scale
        self.gamma = self._parameter("gamma", gamma_initializer, scale)
        self.beta = self._parameter("beta", beta_initializer, center)

    def _parameter(self, name: str, init: Any, learned: bool, **kwargs: Any) -> Any:
        return self.params.get(
            name,
            grad_req="write" if learned else "null",
            shape=(self.in_channels,),
            init=init,
            allow_deferred_init=True,
            differentiable=learned,
            **kwargs,
        )

    def _repr_values(self) -> dict[str, Any]:
        return {
            "eps": self._epsilon,
            "axis": self._axis,
            "center": self._center,
            "scale": self._scale,
            "in_channels": self.gamma.shape[0],
        }

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value}" for key, value in self._repr_values().items())
        return f"{type(self).__name__}({values})"


class LayerNorm(_Affine):
    """Normalize each slice along `axis` to mean 0 and variance 1, then scale and shift it.

    Parameters
    ----------
    axis : int, default -1
    epsilon : float, default 1e-5
        Added to the variance.
    center, scale : bool, default True
        Whether beta and gamma are learned.
    beta_initializer, gamma_initializer : Initializer or str
        Zeros and ones.
    in_channels : int, default 0
        Size of `axis`; 0: taken from the first input.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.LayerNorm()
    >>> layer.initialize()
    >>> layer(nd.array([[1.0, 3.0]])).round().asnumpy().tolist()
    [[-1.0, 1.0]]
    """

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return the normalized data."""
        return F.LayerNorm(data, gamma, beta, axis=self._axis, eps=self._epsilon)


class InstanceNorm(_Affine):
    """Normalize each channel of each sample to mean 0 and variance 1, then scale and shift it.

    Parameters
    ----------
    axis : int, default 1
        Axis of the channels.
    epsilon : float, default 1e-5
        Added to the variance.
    center : bool, default True
        Whether beta is learned.
    scale : bool, default False
        Whether gamma is learned.
    beta_initializer, gamma_initializer : Initializer or str
        Zeros and ones.
    in_channels : int, default 0
        Channels; 0: taken from the first input.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> layer = nn.InstanceNorm()
    >>> layer.initialize()
    >>> layer(nd.array([[[1, 3]]])).asnumpy().round(2).tolist()
    [[[-1.0, 1.0]]]
    """

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            axis, epsilon, center, scale, beta_initializer, gamma_initializer, in_channels, **kwargs
        )

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        """Return the normalized input."""
        if self._axis == 1:
            return F.InstanceNorm(x, gamma, beta, eps=self._epsilon, name="fwd")
        moved = F.swapaxes(x, dim1=1, dim2=self._axis)
        normal = F.InstanceNorm(moved, gamma, beta, eps=self._epsilon, name="fwd")
        return F.swapaxes(normal, dim1=1, dim2=self._axis)


class BatchNorm(_Affine):
    """Normalize each channel over the batch, in prediction with moving averages.

    Parameters
    ----------
    axis : int, default 1
        Axis of the channels.
    momentum : float, default 0.9
        Decay of the moving averages: the part kept at each training step.
    epsilon : float, default 1e-5
        Added to the variance.
    center, scale : bool, default True
        Whether beta and gamma are learned.
    use_global_stats : bool, default False
        Use the moving averages in training as well.
    beta_initializer, gamma_initializer : Initializer or str
        Zeros and ones.
    running_mean_initializer, running_variance_initializer : Initializer or str
        Zeros and ones.
    in_channels : int, default 0
        Channels; 0: taken from the first input.

    Examples
    --------
    >>> from opforge import autograd, gluon, nd
    >>> layer = gluon.nn.BatchNorm()
    >>> layer.initialize()
    >>> with autograd.record():
    ...     y = layer(nd.array([[1.0], [3.0]]))
    >>> y.round().asnumpy().tolist()
    [[-1.0], [1.0]]
    """

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            axis, epsilon, center, scale, beta_initializer, gamma_initializer, in_channels, **kwargs
        )
        # MXNet's name: programs freeze a layer by setting use_global_stats in it.
        self._kwargs: dict[str, Any] = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        self.running_mean = self._parameter("running_mean", running_mean_initializer, False)
        self.running_var = self._parameter("running_var", running_variance_initializer, False)

    def cast(self, dtype: Any) -> None:
        """Convert the parameters; for data of 16 bits they become float32, for precision."""
        super().cast(element_type(dtype).computed_in if element_type(dtype).is_half else dtype)

    def _repr_values(self) -> dict[str, Any]:
        return {**self._kwargs, "in_channels": self.gamma.shape[0] or None}

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Return the normalized input; in training, backward updates the moving averages."""
        inputs = (x, gamma, beta, running_mean, running_var)
        return F.BatchNorm(*inputs, name="fwd", **self._kwargs)
