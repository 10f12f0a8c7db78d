"""Cholesky factors and the inverses that follow from them: `potrf` and `potri`."""

from typing import Any

from opforge.plugin_api import Attribute

from .matrices import SquareOperator


class _Cholesky(SquareOperator):
    """Base class of the operators on Cholesky factors."""

    lower = Attribute(bool, default=True, doc="Whether the factor is lower triangular, else upper.")

    def _symmetric_times(self, F: Any, grad: Any, matrix: Any, matrix_first: bool) -> Any:
        """Return `(G + G^T) M`, or `M (G + G^T)`."""
        factors = (matrix, grad) if matrix_first else (grad, matrix)
        swapped = {"transpose_b": True} if matrix_first else {"transpose_a": True}
        return F._linalg_gemm(*factors, F._linalg_gemm2(*factors, **swapped))


class Potrf(_Cholesky):
    """Return the Cholesky factor of symmetric positive-definite matrices: A = L L^T.

    With lower=False it is the upper triangular U in A = U^T U. Only that triangle of A is read; the
    gradient is symmetric. A matrix that is not positive definite is an error (Golub and Van Loan,
    Matrix Computations, 4.2).

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.potrf(nd.array([[4, 2], [2, 5]])).asnumpy().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """

    name = "_linalg_potrf"
    category = "linear"
    aliases = ("linalg_potrf",)
    argument_docs = {"A": "symmetric positive-definite matrices of shape (..., n, n)"}
    saves = ("outputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return L^-T S L^-1 / 2, where S is symmetric with the lower triangle of L^T G."""
        factor, lower = out_data[0], self.lower
        product = F._linalg_trmm(
            factor, out_grad[0], transpose=True, rightside=not lower, lower=lower
        )
        half = F._linalg_trsm(
            factor,
            F._mirror_triangle(product, lower=lower),
            transpose=lower,
            lower=lower,
            alpha=0.5,
        )
        return [F._linalg_trsm(factor, half, transpose=not lower, rightside=True, lower=lower)]


class Potri(_Cholesky):
    """Return the inverse of symmetric matrices from their Cholesky factors: (A A^T)^-1.

    With lower=False it is (A^T A)^-1. Only that triangle of A is read. A zero on the diagonal is an
    error (Golub and Van Loan, Matrix Computations, 4.2).

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.potri(nd.array([[2, 0], [0, 4]])).asnumpy().tolist()
    [[0.25, 0.0], [0.0, 0.0625]]
    """

    name = "_linalg_potri"
    category = "linear"
    aliases = ("linalg_potri",)
    argument_docs = {"A": "triangular matrices of shape (..., n, n), as returned by `potrf`"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the triangle of -B (G + G^T) A^-T, where B is the output."""
        lower = self.lower
        product = self._symmetric_times(F, out_grad[0], out_data[0], lower)
        solved = F._linalg_trsm(
            in_data[0], product, transpose=True, rightside=lower, lower=lower, alpha=-1.0
        )
        return [F._keep_triangle(solved, lower=lower)]
