"""Operator Dropout: sets random elements to 0 during training."""

from typing import Any

from opforge.plugin_api import (
    Attribute,
    OperatorProp,
    Shape,
    ShapeError,
    kernels,
)


class Dropout(OperatorProp):
    r"""Set elements to 0 with probability `p` during training and divide the others by 1 - `p`.

    .. math:: y = \frac{m x}{1 - p}, \qquad P(m = 0) = p, \quad P(m = 1) = 1 - p

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> with autograd.train_mode():
    ...     y = nd.Dropout(nd.ones((1000,)), p=0.75)
    >>> sorted(set(y.asnumpy().tolist()))
    [0.0, 4.0]
    """

    name = "Dropout"
    category = "random"
    dtypes = ("floating",)
    #: The mask holds the factor of each element.
    outputs = ("output", "mask")
    num_visible_outputs = 1
    saves = ("mask",)
    argument_docs = {"data": "any shape, floating"}
    attrs = {"FInplaceOption": [(0, 0)]}
    p = Attribute(float, default=0.5, ge=0, le=1, doc="Fraction of elements to drop.")
    mode = Attribute(
        str,
        default="training",
        choices=("always", "training"),
        doc="Whether to drop elements in prediction too.",
    )
    axes = Attribute(Shape, default=(), doc="Axes along which elements are dropped together.")
    cudnn_off = Attribute(bool, default=False, optional=True, doc="Accepted and ignored.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of data and of the mask, which has size 1 along `axes`."""
        (data,) = in_shape
        if not data:
            return [data], [data, ()], []
        if any(not 0 <= axis < len(data) for axis in self.axes):
            raise ShapeError(
                f"axes is {self.axes}; expected axes from 0 to {len(data) - 1} because data has "
                f"shape {tuple(data)}"
            )
        mask = tuple(1 if axis in self.axes else size for axis, size in enumerate(data))
        return [data], [data, mask], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data."""
        return [out_shapes[0]]

    def compose_predicting(self, F: Any, data: Any) -> list[Any] | None:
        """Return data unchanged, unless elements are dropped in prediction too."""
        if self.mode == "always" or self.axes:
            return None
        return [data, F.ones_like(data)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Draw the mask and multiply data by it, or copy data."""
        (data,), (out, mask) = in_data, out_data
        if self.p == 0 or not (is_train or self.mode == "always"):
            kernels.fill(mask, 1)
            kernels.cast(data, out, req=req[0])
            return
        kept = 1 - self.p
        kernels.uniform(mask)
        kernels.binary_scalar("lesser", mask, kept, mask)
        kernels.binary_scalar("multiply", mask, 1 / kept if kept else 0.0, mask)
        kernels.binary("multiply", data, mask, out, req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy * mask."""
        multiply = F.broadcast_mul if self.axes else F.elemwise_mul
        return [multiply(out_grad[0], out_data[1])]
