"""Embedding operators: lookup of rows by index, and its gradient."""

from typing import Any

from opforge.plugin_api import Attribute, DType, OperatorProp, autograd, kernels


class Embedding(OperatorProp):
    """Return the rows of `weight` at the indices in `data`.

    Indices out of range are clipped to the first or last row.

    Examples
    --------
    >>> from opforge import nd
    >>> table = nd.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> nd.Embedding(nd.array([2, 0]), table, input_dim=3, output_dim=2).asnumpy().tolist()
    [[5.0, 6.0], [1.0, 2.0]]
    """

    name = "Embedding"
    category = "selection"
    arguments = ("data", "weight")
    argument_dtypes = {"data": ("any",)}
    saves = ("inputs",)
    argument_docs = {
        "data": "indices of any shape and type; fractions are truncated",
        "weight": "(input_dim, output_dim)",
    }
    input_dim = Attribute(int, ge=1, doc="Number of rows.")
    output_dim = Attribute(int, ge=1, doc="Length of a row.")
    dtype = Attribute(DType, default="float32", doc="Type of the weight if it cannot be inferred.")
    sparse_grad = Attribute(
        bool, default=False, doc="Whether the gradient is row-sparse outside graphs."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.Take(axis=0, mode="clip", indices_first=True)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of one row for each index."""
        data = tuple(in_shape[0])
        out = (*data, self.output_dim) if data else None
        return [data, (self.input_dim, self.output_dim)], [out], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the weight's type, `dtype` by default; indices may have any type."""
        data, weight = in_type
        weight = self.dtype if weight is None else weight
        return [data, weight], [weight], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the weight's gradient, summed by row; indices have none."""
        data, weight = in_data
        if self.sparse_grad and hasattr(F, "NDArray") and not autograd.is_recording():
            rows = out_grad[0].reshape((-1, self.output_dim))
            indices = F.clip(data.reshape((-1,)), 0, self.input_dim - 1)
            return [None, F.sparse.row_sparse_array((rows, indices), shape=weight.shape)]
        return [None, F._backward_Embedding(out_grad[0], weight, data)]


class SparseEmbedding(Embedding):
    """Return the rows of `weight` at the indices in `data`; old name of `Embedding`.

    Examples
    --------
    >>> from opforge import nd
    >>> table = nd.array([[1, 2], [3, 4], [5, 6]])
    >>> y = nd.contrib.SparseEmbedding(nd.array([2, 0]), table, input_dim=3, output_dim=2)
    >>> y.asnumpy().tolist()
    [[5.0, 6.0], [1.0, 2.0]]
    """

    name = "_contrib_SparseEmbedding"
    deterministic = Attribute(
        bool, default=False, doc="Accepted; gradients are always deterministic."
    )
    sparse_grad = Attribute(
        bool, default=True, doc="Whether the gradient is row-sparse outside graphs."
    )


class BackwardEmbedding(OperatorProp):
    """Add the rows of `ograd`, at the rows given by `data`, to zeros of the shape of `like`."""

    name = "_backward_Embedding"
    arguments = ("ograd", "like", "data")
    argument_dtypes = {"data": ("any",)}
    saves = ("inputs",)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.TakeGrad(axis=0, mode="clip")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the weight."""
        return in_shape, [in_shape[1]], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the rows of `out_grad` at the indices."""
        data = in_data[2]
        return [F.take(out_grad[0], data), None, None]
