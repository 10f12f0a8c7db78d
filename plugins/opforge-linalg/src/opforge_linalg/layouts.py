"""Diagonals and triangles of square matrices as vectors, and sums of logarithms of diagonals."""

from collections.abc import Sequence
from math import isqrt
from typing import Any

from opforge.plugin_api import Attribute

from .matrices import Dims, MatrixOperator, SquareOperator


class _Extract(MatrixOperator):
    """Base class of operators from square matrices to vectors."""

    category = "shape"
    argument_docs = {"A": "matrices of shape (..., n, n)"}
    saves = ()
    offset = Attribute(int, default=0, doc="Diagonals above the main one, or below it if negative.")

    def length(self, side: int) -> int:
        """Return the number of elements in a part of a given side."""
        return side

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shape of the vectors."""
        if not in_shape[0]:
            return in_shape, [None], []
        shape = self.square("A", tuple(in_shape[0]))
        side = shape[-1] - abs(self.offset)
        if shape[-1] and side <= 0:
            raise self.fail(
                "A", shape, f"more than {abs(self.offset)} rows for offset={self.offset}"
            )
        return [shape], [(*shape[:-2], self.length(max(side, 0)))], []


class _Make(MatrixOperator):
    """Base class of operators from vectors to square matrices."""

    category = "shape"
    argument_docs = {"A": "vectors of shape (..., n)"}
    saves = ()
    offset = Attribute(int, default=0, doc="Diagonals above the main one, or below it if negative.")

    def side(self, shape: Dims) -> int:
        """Return the side of the part that a vector fills."""
        return shape[-1]

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shape of the matrices."""
        if not in_shape[0]:
            return in_shape, [None], []
        shape = tuple(in_shape[0])
        rows = self.side(shape) + abs(self.offset) if shape[-1] else 0
        return [shape], [(*shape[:-1], rows, rows)], []


class ExtractDiag(_Extract):
    """Return a diagonal of square matrices: the elements A[i, i + offset].

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.extractdiag(nd.array([[1, 2], [3, 4]])).asnumpy().tolist()
    [1.0, 4.0]
    """

    name = "_linalg_extractdiag"
    aliases = ("linalg_extractdiag",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return matrices with the gradient on the diagonal."""
        return [F._linalg_makediag(out_grad[0], offset=self.offset)]


class MakeDiag(_Make):
    """Return square matrices with the given diagonal, with zeros elsewhere.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.makediag(nd.array([1, 2])).asnumpy().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    name = "_linalg_makediag"
    aliases = ("linalg_makediag",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the diagonal of the gradient."""
        return [F._linalg_extractdiag(out_grad[0], offset=self.offset)]


class ExtractTrian(_Extract):
    """Return a triangle of square matrices as a vector.

    A lower triangle is returned by rows, an upper one by columns, as in MXNet. A positive offset
    selects the upper triangle from that diagonal on, a negative one the lower triangle.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.extracttrian(nd.array([[1, 2], [3, 4]])).asnumpy().tolist()
    [1.0, 3.0, 4.0]
    """

    name = "_linalg_extracttrian"
    aliases = ("linalg_extracttrian",)
    lower = Attribute(bool, default=True, doc="Whether to use the lower triangle if offset is 0.")

    def length(self, side: int) -> int:
        """Return the number of elements in a triangle."""
        return side * (side + 1) // 2

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return matrices with the gradient in the triangle."""
        return [F._linalg_maketrian(out_grad[0], offset=self.offset, lower=self.lower)]


class MakeTrian(_Make):
    """Return square matrices with the given triangle, with zeros elsewhere.

    The order of the elements is that of `extracttrian`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.maketrian(nd.array([1, 2, 3])).asnumpy().tolist()
    [[1.0, 0.0], [2.0, 3.0]]
    """

    name = "_linalg_maketrian"
    aliases = ("linalg_maketrian",)
    argument_docs = {"A": "vectors of shape (..., n * (n + 1) / 2)"}
    lower = Attribute(bool, default=True, doc="Whether to fill the lower triangle if offset is 0.")

    def side(self, shape: Dims) -> int:
        """Return the side of the triangle that a vector fills."""
        side = (isqrt(8 * shape[-1] + 1) - 1) // 2
        if side * (side + 1) // 2 != shape[-1]:
            raise self.fail(
                "A", shape, "n * (n + 1) / 2 elements in the last axis: 1, 3, 6, 10, ..."
            )
        return side

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the triangle of the gradient."""
        return [F._linalg_extracttrian(out_grad[0], offset=self.offset, lower=self.lower)]


class SumLogDiag(SquareOperator):
    """Return the sum of the logarithms of the diagonal, of shape (1,) for a single matrix.

    Of a Cholesky factor, it is half the logarithm of the determinant (Golub and Van Loan, Matrix
    Computations, 4.2).

    Examples
    --------
    >>> from opforge import nd
    >>> nd.linalg.sumlogdiag(nd.array([[1, 5], [5, 7.389056]])).asnumpy().round(3).tolist()
    [2.0]
    """

    name = "_linalg_sumlogdiag"
    aliases = ("linalg_sumlogdiag",)
    category = "reduction"
    reduces = True
    argument_docs = {"A": "matrices of shape (..., n, n)"}
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return matrices with the gradient divided by the diagonal."""
        a = in_data[0]
        grad = F.reshape(out_grad[0], shape=(*a.shape[:-2], 1))
        return [F._linalg_makediag(F.broadcast_div(grad, F._linalg_extractdiag(a)))]
