"""Operator `dense`: a matrix product with a constant bias."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, kernels, needs_gradient


class DenseProp(OperatorProp):
    r"""Matrix product data . weight^T plus a constant bias.

    .. math:: y = x W^\top + b

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[1, 2]]), nd.array([[3, 4], [5, 6]])
    >>> nd.dense(data, weight).asnumpy().tolist()
    [[11.0, 17.0]]
    """

    name = "dense"
    category = "linear"
    arguments = ("data", "weight")
    dtypes = ("floating", "integer")
    bias = Attribute(float, default=0.0, doc="Added to every element of the result.")
    saves = ("inputs",)
    argument_docs = {"data": "shape (n, in_units)", "weight": "shape (units, in_units)"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (n, units) for data (n, in_units) and weight (units, in_units)."""
        data, weight = in_shape
        if len(data) != 2 or len(weight) != 2:
            raise ShapeError(
                f"operator 'dense': data has shape {tuple(data)} and weight {tuple(weight)}; "
                "expected two dimensions each, (n, in_units) and (units, in_units)"
            )
        in_units = data[1] or weight[1]
        if weight[1] not in (0, in_units):
            raise ShapeError(
                f"operator 'dense': weight has shape {tuple(weight)}; expected "
                f"({weight[0]}, {in_units}) because data has shape {tuple(data)}"
            )
        return [(data[0], in_units), (weight[0], in_units)], [(data[0], weight[0])], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the matrix product and add the bias."""
        out = out_data[0]
        kernels.gemm(in_data[0], in_data[1], out, transpose_b=True, req=req[0])
        if self.bias and req[0] != "null":
            kernels.binary_scalar("add", out, self.bias, out)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy . weight and dy^T . data, or None for inputs that need no gradient."""
        (dy,), (data, weight) = out_grad, in_data
        return [
            F.dot(dy, weight) if needs_gradient(data) else None,
            F.dot(dy, data, transpose_a=True) if needs_gradient(weight) else None,
        ]
