"""MakeLoss: an array that is a loss, so that its gradient is known."""

from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, DTypeError, OperatorProp, kernels


class MakeLoss(OperatorProp):
    """Return `data`, a loss; backward `grad_scale`, whatever comes from above.

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
    category = "loss"
    need_top_grad = False
    saves = ("inputs",)
    attrs = {"FElementwiseShape": True, "FInplaceOption": [(0, 0)]}
    argument_docs = {"data": "any shape, floating"}
    grad_scale = Attribute(float, default=1.0, doc="The gradient of each element.")
    valid_thresh = Attribute(
        float, default=0.0, doc="Elements above it are valid, if normalization is 'valid'."
    )
    normalization = Attribute(
        str,
        default="null",
        choices=("batch", "null", "valid"),
        doc="What divides the gradient: the size of all but the last axis, nothing, or the number "
        "of valid elements.",
    )

    def infer_type(self, in_type: Any) -> Any:
        """Return data's type."""
        (data,) = in_type
        if data is not None and not np.issubdtype(data, np.floating):
            raise DTypeError(f"data is {np.dtype(data).name}, expected a floating type; cast it")
        return [data], [data], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy."""
        kernels.cast(in_data[0], out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return `grad_scale` for each element, normalised."""
        (data,) = in_data
        scale = self.grad_scale
        if self.normalization == "batch":
            scale /= max(prod(data.shape[:-1]), 1)
        grad = F.ones_like(data) * scale
        if self.normalization == "valid":
            count = F.sum(data > self.valid_thresh)
            grad = F.broadcast_div(grad, F.maximum(count, 1.0))
        return [grad]
