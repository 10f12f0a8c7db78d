"""LayerNorm: normalize each slice along one axis, then scale and shift it."""

from typing import Any

from opforge.plugin_api import Attribute, CustomOp, OperatorProp, ShapeError, kernels


def check_axis(operator: str, axis: int, shape: Any) -> int:
    """Return `axis` as a non-negative index; raise ShapeError if it is out of range."""
    if not -len(shape) <= axis < len(shape):
        raise ShapeError(
            f"operator '{operator}': axis {axis} is out of range for data of shape "
            f"{tuple(shape)}. Pass -{len(shape)} to {len(shape) - 1}"
        )
    return axis % len(shape)


class _LayerNormOp(CustomOp):
    """Calls of the fused kernels; one object serves all calls."""

    def __init__(self, axis: int, eps: float) -> None:
        self._axis = axis
        self._eps = eps

    def forward(self, is_train: int, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Normalize, and store mean and standard deviation for backward."""
        data, gamma, beta = in_data
        out, mean, std = out_data
        kernels.layer_norm(data, gamma, beta, out, mean, std, self._axis, self._eps, req=req[0])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Compute the three gradients in one pass."""
        data, gamma, _ = in_data
        _, mean, std = out_data
        kernels.layer_norm_grad(
            out_grad[0], data, gamma, mean, std, *in_grad, self._axis, reqs=tuple(req)
        )


class LayerNorm(OperatorProp):
    r"""Normalize each slice along `axis`, then scale by gamma and shift by beta.

    .. math:: y = \gamma \, \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 2, 3], [10, 20, 30]])
    >>> print(nd.LayerNorm(x, nd.ones((3,)), nd.zeros((3,))).asnumpy().round(2))
    [[-1.22  0.    1.22]
     [-1.22  0.    1.22]]
    """

    name = "LayerNorm"
    category = "normalization"
    arguments = ("data", "gamma", "beta")
    dtypes = ("floating",)
    argument_dtypes = {"gamma": ("floating",), "beta": ("floating",)}
    outputs = ("output", "mean", "std")
    stateless = True
    saves = ("data", "gamma", "mean", "std")
    axis = Attribute(int, default=-1, doc="Axis of the features.")
    eps = Attribute(float, default=1e-5, gt=0, doc="Added to the variance.")
    output_mean_var = Attribute(
        bool, default=False, doc="Also return the mean and the standard deviation."
    )
    argument_docs = {
        "data": "at least one dimension, floating",
        "gamma": "shape (features,)",
        "beta": "shape (features,)",
    }

    @property
    def num_visible_outputs(self) -> int:
        """Number of visible outputs; mean and deviation only with `output_mean_var`."""
        return 3 if self.output_mean_var else 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape; mean and deviation have length 1 along `axis`."""
        data = in_shape[0]
        axis = check_axis(self.name, self.axis, data)
        features, reduced = (data[axis],), (*data[:axis], 1, *data[axis + 1 :])
        return [data, features, features], [data, reduced, reduced], []

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """Return the operator that runs the kernels."""
        return _LayerNormOp(self.axis, self.eps)
