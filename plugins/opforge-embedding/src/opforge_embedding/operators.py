"""`Embedding`: rows of a weight by index; its gradient adds where rows were taken from."""

from typing import Any

from opforge.plugin_api import Attribute, DType, OperatorProp, autograd, kernels


class Embedding(OperatorProp):
    """Copy the rows of `weight` that `data` names.

    An index below 0 counts as 0, one above the last as the last.

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
    saves = ("inputs",)
    argument_docs = {
        "data": "indices of any shape and type; fractions are cut off",
        "weight": "(input_dim, output_dim)",
    }
    input_dim = Attribute(int, ge=1, doc="Number of rows.")
    output_dim = Attribute(int, ge=1, doc="Length of a row.")
    dtype = Attribute(DType, default="float32", doc="Element type of a weight of no known type.")
    sparse_grad = Attribute(bool, default=False, doc="Gradient by rows, where not in a graph.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.Take(axis=0, mode="clip", indices_first=True)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return a row for each index."""
        data = tuple(in_shape[0])
        out = (*data, self.output_dim) if data else None
        return [data, (self.input_dim, self.output_dim)], [out], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the weight, by default `dtype`; indices may have any."""
        data, weight = in_type
        weight = self.dtype if weight is None else weight
        return [data, weight], [weight], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the sums of what was taken from each row; indices get none."""
        data, weight = in_data
        if self.sparse_grad and hasattr(F, "NDArray") and not autograd.is_recording():
            rows = out_grad[0].reshape((-1, self.output_dim))
            places = F.clip(data.reshape((-1,)), 0, self.input_dim - 1)
            return [None, F.sparse.row_sparse_array((rows, places), shape=weight.shape)]
        return [None, F._backward_Embedding(out_grad[0], weight, data)]


class SparseEmbedding(Embedding):
    """Copy the rows of `weight` that `data` names: `Embedding` under its old name."""

    name = "_contrib_SparseEmbedding"
    deterministic = Attribute(bool, default=False, doc="Accepted; gradients always repeat.")
    sparse_grad = Attribute(bool, default=True, doc="Gradient by rows, where not in a graph.")


class BackwardEmbedding(OperatorProp):
    """Add the rows of `ograd` to zeros of the shape of `like`, where `data` says."""

    name = "_backward_Embedding"
    arguments = ("ograd", "like", "data")
    saves = ("inputs",)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.TakeGrad(axis=0, mode="clip")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the weight."""
        return in_shape, [in_shape[1]], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the weight."""
        ograd, like, data = in_type
        return [ograd or like, like or ograd, data], [like or ograd], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the rows that were added."""
        data = in_data[2]
        return [F.take(out_grad[0], data), None, None]


OPERATORS = (Embedding, SparseEmbedding, BackwardEmbedding)
