"""Layers that are variants of BatchNorm: followed by ReLU, and synchronized between ranks."""

from typing import Any

from opforge.plugin_api import ranks

from .layers import BatchNorm


class BatchNormReLU(BatchNorm):
    """BatchNorm followed by ReLU, with the parameters of `BatchNorm`.

    Examples
    --------
    >>> from opforge import autograd, gluon, nd
    >>> layer = gluon.nn.BatchNormReLU()
    >>> layer.initialize()
    >>> with autograd.record():
    ...     y = layer(nd.array([[1.0], [3.0]]))
    >>> y.round().asnumpy().tolist()
    [[0.0], [1.0]]
    """

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Return the normalized input after ReLU."""
        inputs = (x, gamma, beta, running_mean, running_var)
        return F.contrib.BatchNormWithReLU(*inputs, name="fwd", **self._kwargs)


class SyncBatchNorm(BatchNorm):
    """BatchNorm with training statistics over all ranks of a distributed training.

    N ranks with batches of B compute the same, forward and backward, as one rank with a batch of
    N * B. The ranks are those that have joined by the time of the call, as with
    ``kvstore="dist_sync"``; a single process is one rank, for which the layer is `BatchNorm`.

    Parameters
    ----------
    in_channels : int, default 0
        Channels; 0: taken from the first input.
    num_devices : int, optional
        Number of ranks; None: all that have joined; 1: only this one.
    momentum, epsilon, center, scale, use_global_stats, beta_initializer, gamma_initializer, \
running_mean_initializer, running_variance_initializer
        As for `BatchNorm`.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> from opforge.gluon import nn
    >>> layer = nn.SyncBatchNorm()
    >>> layer.initialize()
    >>> with autograd.record():
    ...     y = layer(nd.array([[1], [3]]))
    >>> y.asnumpy().round(2).tolist()
    [[-1.0], [1.0]]
    """

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            *(1, momentum, epsilon, center, scale, use_global_stats),
            *(beta_initializer, gamma_initializer),
            *(running_mean_initializer, running_variance_initializer, in_channels),
            **kwargs,
        )
        del self._kwargs["axis"]
        self._kwargs.update(ndev=num_devices or 0, key=self.prefix)

    def _repr_values(self) -> dict[str, Any]:
        values = super()._repr_values()
        joined = ranks.joined()
        devices = values["ndev"] or (1 if joined is None else joined.size)
        return {**values, "ndev": devices, "key": repr(self.prefix)}

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Return the normalized input; in training, backward updates the moving averages."""
        inputs = (x, gamma, beta, running_mean, running_var)
        return F.contrib.SyncBatchNorm(*inputs, name="fwd", **self._kwargs)
