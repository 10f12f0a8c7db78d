"""Inverses and determinants of general square matrices: `inverse`, `det` and `slogdet`."""

from typing import Any

from .matrices import SquareOperator


class Inverse(SquareOperator):
    """Return the inverses of square matrices, computed by elimination with row exchanges.

    A singular matrix is an error (Golub and Van Loan, Matrix Computations, 3.4).

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.inverse(nd.array([[2, 0], [0, 4]])).asnumpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """

    name = "_linalg_inverse"
    category = "linear"
    aliases = ("linalg_inverse",)
    argument_docs = {"A": "matrices of shape (..., n, n)"}
    saves = ("outputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return -B^T G B^T, where B is the output."""
        inverse = out_data[0]
        left = F._linalg_gemm2(inverse, out_grad[0], transpose_a=True, alpha=-1.0)
        return [F._linalg_gemm2(left, inverse, transpose_b=True)]


class TransposedInverse(SquareOperator):
    """Return the transposed inverses of square matrices, and zeros for singular ones."""

    name = "_transposed_inverse"
    category = "linear"
    argument_docs = {"A": "matrices of shape (..., n, n)"}
    saves = ("outputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return -B G^T B, where B is the output."""
        result = out_data[0]
        left = F._linalg_gemm2(result, out_grad[0], transpose_b=True, alpha=-1.0)
        return [F._linalg_gemm2(left, result)]


class _Determinant(SquareOperator):
    """Base class of the determinants."""

    reduces = True
    argument_docs = {"A": "matrices of shape (..., n, n)"}

    def _scaled_inverse(self, F: Any, matrices: Any, factors: Any) -> Any:
        """Return the transposed inverses times one factor for each matrix."""
        factors = F.reshape(factors, shape=(*matrices.shape[:-2], 1, 1))
        return F.broadcast_mul(F._transposed_inverse(matrices), factors)


class Det(_Determinant):
    """Return the determinants of square matrices, of shape (1,) for a single matrix.

    The gradient is det(A) A^-T (Jacobi's formula), and zero for singular matrices, as in MXNet
    (Golub and Van Loan, Matrix Computations, 3.2).

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.det(nd.array([[1, 2], [0, 4]])).asnumpy().tolist()
    [4.0]
    """

    name = "_linalg_det"
    category = "linear"
    aliases = ("linalg_det",)
    outputs = ("output0",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return det(A) A^-T times the gradient."""
        return [self._scaled_inverse(F, in_data[0], out_grad[0] * out_data[0])]


class Slogdet(_Determinant):
    """Return the signs of determinants and the logarithms of their absolute values.

    A singular matrix has the sign 0 and the logarithm -inf. The gradient of the logarithm is A^-T,
    and zero for singular matrices, as in MXNet; the sign has none (Golub and Van Loan, Matrix
    Computations, 3.2).

    Examples
    --------
    >>> from opforge import nd
    >>> sign, logabsdet = nd.linalg.slogdet(nd.array([[0, 1], [1, 0]]))
    >>> sign.asnumpy().tolist(), logabsdet.asnumpy().tolist()
    ([-1.0], [0.0])
    """

    name = "_linalg_slogdet"
    category = "linear"
    aliases = ("linalg_slogdet",)
    outputs = ("output0", "output1")
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return A^-T times the gradient of the logarithm."""
        return [self._scaled_inverse(F, in_data[0], out_grad[1])]
