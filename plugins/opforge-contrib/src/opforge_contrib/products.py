"""Operator khatri_rao."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError


class KhatriRao(OperatorProp):
    r"""Return the columnwise Kronecker product of matrices.

    .. math:: y_{ijk} = a_{ik} \, b_{jk}

    The first two axes of the result are merged; more matrices are multiplied from the left.

    Examples
    --------
    >>> from opforge import nd
    >>> a, b = nd.array([[1, -1], [2, -3]]), nd.array([[1, 4], [2, 5]])
    >>> nd.khatri_rao(a, b).asnumpy().tolist()
    [[1.0, -4.0], [2.0, -5.0], [2.0, -12.0], [4.0, -15.0]]
    """

    name = "khatri_rao"
    category = "linear"
    dtypes = ("floating", "integer")
    arguments = ("args",)
    argument_docs = {"args": "matrices of shape (rows, columns), with equal numbers of columns"}
    variadic = "num_args"
    num_args = Attribute(int, default=1, ge=1, doc="Number of matrices; set by the call.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the product of the numbers of rows, and the common number of columns."""
        shapes = [tuple(shape) for shape in in_shape]
        known = {shape[1] for shape in shapes if len(shape) == 2} - {0}
        if any(shape and len(shape) != 2 for shape in shapes) or len(known) > 1:
            raise ShapeError(
                f"operator '{self.name}': the inputs have shapes {shapes}; expected matrices with "
                "equal numbers of columns"
            )
        columns = known.pop() if known else 0
        rows = 1
        for shape in shapes:
            rows *= shape[0] if shape else 0
        completed = [(shape[0] if shape else 0, columns) for shape in shapes]
        return completed, [(rows, columns)], []

    def compose(self, F: Any, *matrices: Any) -> Any:
        """Multiply by each further matrix."""
        shapes = [tuple(matrix.shape) for matrix in matrices]
        self.infer_shape(shapes)
        if len({shape[1] for shape in shapes}) > 1:
            raise ShapeError(
                f"operator '{self.name}': the inputs have shapes {shapes}; expected equal numbers "
                "of columns"
            )
        product = matrices[0]
        for matrix in matrices[1:]:
            both = F.broadcast_mul(F.expand_dims(product, axis=1), F.expand_dims(matrix, axis=0))
            product = F.reshape(both, shape=(-3, 0))
        return F.identity(product) if len(matrices) == 1 else product
