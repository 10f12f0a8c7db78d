"""BatchNorm with statistics over all ranks of a distributed training."""

from dataclasses import replace
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError, CustomOp, F, kernels, ranks

from .batch_norm import BatchNorm, BatchNormOp


class _SyncBatchNormOp(BatchNormOp):
    """One call; sums over the ranks are in float64, because squared means cancel in them."""

    _prop: "SyncBatchNorm"

    def __init__(self, prop: "SyncBatchNorm", axis: int) -> None:
        super().__init__(prop, axis)
        self._ranks: ranks.Ranks | None = None
        self._count = 0.0  # elements of a channel on all ranks

    def _compute_moments(self, data: Any, mean: Any, var: Any) -> None:
        """Write the moments over the batches of all ranks."""
        super()._compute_moments(data, mean, var)
        self._ranks = self._prop.peers()
        if self._ranks is None:
            return
        count = data.size / max(mean.size, 1)
        means, variances = _doubles(mean), _doubles(var)
        squares = variances + means * means
        *sums, self._count = self._sum("forward", [count * means, count * squares, [count]])
        means, squares = np.array(sums).reshape(2, -1) / max(self._count, 1)
        mean[:] = means
        var[:] = np.maximum(squares - means * means, 0)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Compute this rank's share of the gradients of gamma and beta, and that of the data.

        The moving averages are updated as in `BatchNorm`.

        With constant moments the data's gradient would be ``scale * dy``. The remaining terms are
        linear in the data, with sums over all ranks, so the normalizing kernel adds them.
        """
        if self._global or self._ranks is None:
            super().backward(req, out_grad, in_data, out_data, in_grad, aux)
            return
        data, gamma, _ = in_data
        mean, var = self._moments(out_data)
        if self._count:
            self._update_averages(aux, (mean, var))
        dx, dgamma, dbeta = in_grad
        gamma = None if self._prop.fix_gamma else gamma
        along = {"axis": self._axis, "eps": self._prop.eps, "blocked": self._prop.blocked}
        products, sums = (F.zeros(mean.shape, mean.context, "float64") for _ in range(2))
        kernels.batch_norm_grad(
            *(out_grad[0], data, gamma, mean, var, dx, products, sums),
            use_global_stats=True,
            reqs=(req[0], "write", "write"),
            **along,
        )
        self.assign(dgamma, req[1], 0 if gamma is None else products.astype(dgamma.dtype))
        self.assign(dbeta, req[2], sums.astype(dbeta.dtype))
        if req[0] == "null":
            return
        totals = self._sum("backward", [_doubles(products), _doubles(sums)])
        gain = -1 if gamma is None else -_doubles(gamma)
        factors = gain / np.sqrt(_doubles(var) + self._prop.eps) / max(self._count, 1)
        scale, shift = (F.from_numpy(factors * one) for one in totals.reshape(2, -1))
        kernels.batch_norm(data, scale, shift, mean, var, dx, req="add", **along)

    def _sum(self, direction: str, addends: list[Any]) -> Any:
        assert self._ranks is not None
        return self._ranks.sum(f"{self._prop.key} {direction}", np.concatenate(addends))


def _doubles(array: Any) -> Any:
    return array.asnumpy().astype(np.float64)


class SyncBatchNorm(BatchNorm):
    """BatchNorm with training statistics over all ranks that have joined.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 10], [3, 30]])
    >>> ones, zeros = nd.ones((2,)), nd.zeros((2,))
    >>> y = nd.contrib.SyncBatchNorm(x, ones, zeros, zeros, ones, key="bn")
    >>> print(y.asnumpy().round(1))
    [[ 1. 10.]
     [ 3. 30.]]
    """

    name = "_contrib_SyncBatchNorm"
    ndev = Attribute(
        int, default=1, ge=0, doc="Number of ranks; 1: only this one; 0: all that have joined."
    )
    key = Attribute(str, doc="Name of the layer, which identifies it on all ranks.")
    axis = 1
    cudnn_off = None
    #: The last output is the variance itself.
    returns_inverse = False

    def peers(self) -> ranks.Ranks | None:
        """Return the ranks to sum statistics over; None if this rank's are sufficient."""
        joined = ranks.joined()
        if joined is None or self.ndev == 1:
            return None
        if self.ndev not in (0, joined.size):
            raise AttributeValueError(
                f"SyncBatchNorm {self.key!r}: ndev is {self.ndev}; expected {joined.size}, the "
                "number of ranks that have joined, or 1 for separate statistics. Pass "
                "num_devices=None to the layer for all ranks"
            )
        return joined

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> Any:
        """Accept data with blocked channels, whose blocks are on axis 1 too."""
        form = super().blocked_form(inputs, needs_gradient)
        return form and replace(form, attributes={"blocked": True})

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """Return the state of one call."""
        return _SyncBatchNormOp(self, self.axis)
