"""The layer of BatchNorm that is followed by relu."""

from typing import Any

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
        return F.contrib.BatchNormWithReLU(
            *(x, gamma, beta, running_mean, running_var),
            axis=self._axis,
            eps=self._epsilon,
            momentum=self._momentum,
            fix_gamma=self._fix_gamma,
            use_global_stats=self._use_global_stats,
            name="fwd",
        )


LAYERS = (BatchNormReLU,)
