"""Orthogonal factors: `gelqf` and `syevd`."""

from collections.abc import Sequence
from typing import Any

from .matrices import MatrixOperator


class Gelqf(MatrixOperator):
    """Factor matrices into lower triangular and row-orthonormal ones: A = L Q.

    The outputs are Q and L. A has at most as many rows as columns, and full rank; the signs are
    those of LAPACK, so the diagonal of L may be negative (Golub and Van Loan, Matrix Computations,
    5.2).

    Examples
    --------
    >>> from opforge import nd
    >>> q, l = nd.linalg.gelqf(nd.array([[3, 4]]))
    >>> l.asnumpy().round(3).tolist(), nd.dot(l, q).asnumpy().round(3).tolist()
    ([[-5.0]], [[3.0, 4.0]])
    """

    name = "_linalg_gelqf"
    category = "linear"
    aliases = ("linalg_gelqf",)
    outputs = ("output0", "output1")
    argument_docs = {"A": "matrices of shape (..., m, n) with m <= n"}
    saves = ("outputs",)

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shape of A for Q, and square matrices for L."""
        if not in_shape[0]:
            return in_shape, [None, None], []
        shape = tuple(in_shape[0])
        self.expect_matrices("A", shape)
        *batch, rows, columns = shape
        if columns and rows > columns:
            raise self.fail("A", shape, "at most as many rows as columns; transpose A")
        return [shape], [shape, (*batch, rows, rows)], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the shape of Q for A."""
        return [out_shapes[0]]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return L^-T (G_Q + S Q), where S has the lower triangle of L^T G_L - G_Q Q^T."""
        (of_q, of_l), (q, lower) = out_grad, out_data
        product = F._linalg_gemm(
            of_q, q, F._linalg_trmm(lower, of_l, transpose=True), transpose_b=True, alpha=-1.0
        )
        total = F._linalg_gemm(F._mirror_triangle(product), q, of_q)
        return [F._linalg_trsm(lower, total, transpose=True)]


class Syevd(MatrixOperator):
    """Factor symmetric matrices into eigenvectors and eigenvalues: U A = diag(L) U.

    The rows of U are orthonormal eigenvectors, each with a positive element of largest magnitude,
    and the eigenvalues L are in ascending order. Only the lower triangle of A is read. Gradients
    are accurate if the eigenvalues are distinct; pairs of equal ones contribute zero (Golub and
    Van Loan, Matrix Computations, 8.3).

    Examples
    --------
    >>> from opforge import nd
    >>> u, l = nd.linalg.syevd(nd.array([[2, 1], [1, 2]]))
    >>> l.asnumpy().round(3).tolist()
    [1.0, 3.0]
    """

    name = "_linalg_syevd"
    category = "linear"
    aliases = ("linalg_syevd",)
    outputs = ("output0", "output1")
    argument_docs = {"A": "symmetric matrices of shape (..., n, n)"}
    saves = ("outputs",)

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shape of A for U, and vectors for L."""
        if not in_shape[0]:
            return in_shape, [None, None], []
        shape = self.square("A", tuple(in_shape[0]))
        return [shape], [shape, shape[:-1]], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the shape of U for A."""
        return [out_shapes[0]]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return U^T S U: S_ij is (X_ji - X_ij) / 2 (L_j - L_i) for X = G_U U^T; S_ii is G_L."""
        (of_u, of_l), (u, values) = out_grad, out_data
        gaps = F.broadcast_sub(F.expand_dims(values, axis=-2), F.expand_dims(values, axis=-1))
        are_equal = gaps == 0
        reciprocals = (1 - are_equal) / (gaps + are_equal)
        products = F._linalg_gemm2(of_u, u, transpose_b=True, alpha=0.5)
        differences = F.swapaxes(products, dim1=-2, dim2=-1) - products
        inner = differences * reciprocals + F._linalg_makediag(of_l)
        return [F._linalg_gemm2(F._linalg_gemm2(u, inner, transpose_a=True), u)]
