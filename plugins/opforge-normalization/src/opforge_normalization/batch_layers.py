"""Layers that are other forms of BatchNorm: followed by relu, and synchronised between ranks."""

from typing import Any

from opforge.plugin_api import ranks

from .layers import BatchNorm


class BatchNormReLU(BatchNorm):
    """BatchNorm, and 0 for what is negative then; its parameters are those of `BatchNorm`.

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
        """Return what is positive of the normalised input."""
        inputs = (x, gamma, beta, running_mean, running_var)
        return F.contrib.BatchNormWithReLU(*inputs, name="fwd", **self._kwargs)


class SyncBatchNorm(BatchNorm):
    """BatchNorm whose statistics in training are those of all ranks that train together.

    N ranks with batches of B have the numbers of one with a batch of N * B, going forward and
    backward. They are the ranks that have joined by the time of the call, as with
    ``kvstore="dist_sync"``; in one process there is one, and the layer is `BatchNorm`.

    Parameters
    ----------
    in_channels : int, default 0
        Channels; 0: taken from the first input.
    num_devices : int, optional
        How many ranks there are; None: all that have joined; 1: this one alone.
    momentum, epsilon, center, scale, use_global_stats, beta_initializer, gamma_initializer, \
running_mean_initializer, running_variance_initializer
        Those of `BatchNorm`.
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

    def _described(self) -> dict[str, Any]:
        values = super()._described()
        joined = ranks.joined()
        devices = values["ndev"] or (1 if joined is None else joined.size)
        return {**values, "ndev": devices, "key": repr(self.prefix)}

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Return the normalised input; backward updates the moving averages in training."""
        inputs = (x, gamma, beta, running_mean, running_var)
        return F.contrib.SyncBatchNorm(*inputs, name="fwd", **self._kwargs)


LAYERS = (BatchNormReLU, SyncBatchNorm)
