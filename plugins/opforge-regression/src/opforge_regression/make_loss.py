"""Operator MakeLoss, which marks an array as a loss."""

from math import prod
from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, kernels


class MakeLoss(OperatorProp):
    """Return `data` as a loss whose gradient is `grad_scale`, ignoring incoming gradients.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     loss = nd.MakeLoss(x**2, grad_scale=3)
    >>> loss.backward()
    >>> x.grad.asnumpy().tolist()
    [6.0, 12.0]
    """

    name = "MakeLoss"
    dtypes = ("floating",)
    category = "loss"
    need_top_grad = False
    saves = ("inputs",)
    attrs = {"FElementwiseShape": True, "FInplaceOption": [(0, 0)]}
    argument_docs = {"data": "any shape, floating"}
    grad_scale = Attribute(float, default=1.0, doc="Gradient of each element.")
    valid_thresh = Attribute(
        float, default=0.0, doc="Elements above this value are valid if normalization is 'valid'."
    )
    normalization = Attribute(
        str,
        default="null",
        choices=("batch", "null", "valid"),
        doc="Divisor of the gradient: the size of all axes except the last ('batch'), 1 ('null'), "
        "or the number of valid elements ('valid').",
    )

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy data."""
        kernels.cast(in_data[0], out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the normalized `grad_scale` for each element."""
        (data,) = in_data
        scale = self.grad_scale
        if self.normalization == "batch":
            scale /= max(prod(data.shape[:-1]), 1)
        grad = F.ones_like(data) * scale
        if self.normalization == "valid":
            count = F.sum(data > self.valid_thresh)
            grad = F.broadcast_div(grad, F.maximum(count, 1.0))
        return [grad]
