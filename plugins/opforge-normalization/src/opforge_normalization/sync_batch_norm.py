"""BatchNorm whose statistics are those of all ranks that train together."""

from dataclasses import replace
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError, CustomOp, F, kernels, ranks

from .batch_norm import BatchNorm, BatchNormOp


class _SyncBatchNormOp(BatchNormOp):
    """One call. Sums over the ranks are taken in float64: squares of the mean cancel in them."""

    _prop: "SyncBatchNorm"

    def __init__(self, prop: "SyncBatchNorm", axis: int) -> None:
        super().__init__(prop, axis)
        self._ranks: ranks.Ranks | None = None
        self._count = 0.0  # places of a channel, on all ranks

    def _measure(self, data: Any, mean: Any, var: Any) -> None:
        """Write the moments of the batches of all ranks."""
        super()._measure(data, mean, var)
        self._ranks = self._prop.peers()
        if self._ranks is None:
            return
        count = data.size / max(mean.size, 1)
        # An empty batch has no moments, and no part in those of all.
        means, variances = (_doubles(one) if count else np.zeros(one.shape) for one in (mean, var))
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

        With constant moments the data's gradient would be ``scale * dy``. What it lacks is linear
        in the data, with sums over all ranks, and so is added by the kernel that normalises.
        """
        if self._global or self._ranks is None:
            super().backward(req, out_grad, in_data, out_data, in_grad, aux)
            return
        data, gamma, _ = in_data
        mean, var = self._moments(out_data)
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

    def _sum(self, way: str, addends: list[Any]) -> Any:
        assert self._ranks is not None
        return self._ranks.sum(f"{self._prop.key} {way}", np.concatenate(addends))


def _doubles(array: Any) -> Any:
    return array.asnumpy().astype(np.float64)


class SyncBatchNorm(BatchNorm):
    """BatchNorm whose statistics in training are those of all ranks that have joined."""

    name = "_contrib_SyncBatchNorm"
    ndev = Attribute(
        int, default=1, ge=0, doc="Number of ranks: 1: this one alone; 0: all that there are."
    )
    key = Attribute(str, doc="Name of the layer, by which ranks find each other.")
    axis = 1
    cudnn_off = None
    #: The variance is shown itself.
    shows_inverse = False

    def peers(self) -> ranks.Ranks | None:
        """Return the ranks whose statistics are summed; None: those of this one will do."""
        joined = ranks.joined()
        if joined is None or self.ndev == 1:
            return None
        if self.ndev not in (0, joined.size):
            raise AttributeValueError(
                f"SyncBatchNorm {self.key!r}: got ndev={self.ndev} devices, expected "
                f"{joined.size}, as many as ranks train together, or 1 for each alone; "
                "num_devices=None of the layer takes all that there are"
            )
        return joined

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> Any:
        """Follow where the channels come in lanes; the axis of their groups is 1 there too."""
        form = super().blocked_form(inputs, needs_gradient)
        return form and replace(form, attributes={"blocked": True})

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """Return the operator of one call."""
        return _SyncBatchNormOp(self, self.axis)
