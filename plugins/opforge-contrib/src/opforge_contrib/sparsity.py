"""Operator IdentityAttachKLSparseReg: activations whose gradient rewards sparsity."""

from typing import Any

from opforge.plugin_api import Attribute, CustomOp, F, OperatorProp, ShapeError, kernels


class _SparseRegOp(CustomOp):
    """One call; statistics are in float64."""

    def __init__(self, prop: "IdentityAttachKLSparseReg") -> None:
        self._prop = prop

    def forward(self, is_train: int, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Copy the activations."""
        kernels.cast(in_data[0], out_data[0], req=req[0])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Update the average, and add its penalty to the gradient."""
        (data,), (average,) = in_data, aux
        momentum, target = self._prop.momentum, self._prop.sparseness_target
        moved = average.astype("float64")
        if len(data):  # an empty batch has no mean
            mean = F.empty(average.shape, data.context, "float64")
            kernels.reduce("mean", data, mean, (0,))
            moved = moved * momentum + mean * (1 - momentum)
            average[:] = moved.astype(average.dtype)
        penalty = ((1 - target) / (1 - moved) - target / moved) * self._prop.penalty
        kernels.binary("add", out_grad[0], penalty.astype(data.dtype), in_grad[0], req=req[0])


class IdentityAttachKLSparseReg(OperatorProp):
    r"""Return `data`; add a penalty to its gradient that makes activations sparse.

    The penalty is the derivative of the divergence between the activation that is wanted and the
    moving average m of each feature, from 0 to 1 as after ``sigmoid``:

    .. math:: \mathrm{d}x = \mathrm{d}y + c \left( \frac{1 - p}{1 - m} - \frac{p}{m} \right)

    The average is updated in the backward pass.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x, moving_avg = nd.array([[0.5, 0.25]]), nd.zeros((2,))
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.IdentityAttachKLSparseReg(x, moving_avg, penalty=1, momentum=0)
    >>> y.backward()
    >>> print(x.grad.asnumpy().round(2), moving_avg.asnumpy())
    [[2.6 1.8]] [0.5  0.25]
    """

    name = "IdentityAttachKLSparseReg"
    category = "loss"
    auxiliary_states = ("moving_avg",)
    dtypes = ("floating",)
    argument_docs = {
        "data": "shape (n, features), between 0 and 1",
        "moving_avg": "shape (features,), the moving average of data",
    }
    saves = ("inputs",)
    attrs = {
        "FInplaceOption": [(0, 0)],
        "FSetInputVarAttrOnCompose": {"moving_avg": {"__init__": '["zero", {}]'}},
    }
    sparseness_target = Attribute(
        float, default=0.1, ge=0, le=1, doc="Average activation that is wanted."
    )
    penalty = Attribute(float, default=0.001, doc="Factor of the penalty.")
    momentum = Attribute(
        float, default=0.9, ge=0, le=1, doc="Decay of the moving average: the part that is kept."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape, and an average for each feature."""
        data = tuple(in_shape[0])
        if not data:
            return in_shape, [None], [None]
        if len(data) != 2:
            raise ShapeError(
                f"operator '{self.name}': data has shape {data}; expected (n, features). Reshape "
                "it, for instance with Flatten"
            )
        return [data], [data], [data[1:]]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape."""
        return list(out_shapes)

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """Return the object that computes calls."""
        return _SparseRegOp(self)
