"""Products and systems with triangular matrices: `trmm` and `trsm`."""

from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.plugin_api import Attribute, needs_gradient

from .matrices import MatrixOperator, SquareOperator


class _Triangular(MatrixOperator):
    """Base class of operators on a triangular matrix A and a general one, B."""

    arguments: ClassVar[Sequence[str]] = ("A", "B")
    argument_docs = {
        "A": "triangular matrices of shape (..., n, n); the other triangle is not read",
        "B": "matrices of shape (..., n, m), or (..., m, n) with rightside",
    }
    transpose = Attribute(bool, default=False, doc="Whether A is transposed.")
    rightside = Attribute(bool, default=False, doc="Whether A is on the right of B.")
    lower = Attribute(bool, default=True, doc="Whether A is lower triangular, else upper.")
    alpha = Attribute(float, default=1.0, doc="Factor of the result.")

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return B's shape; the batch axes must agree."""
        a, b = map(tuple, in_shape)
        a = self.square("A", a) if a else a
        if not a or not b:
            return [a, b], [b or None], []
        self.expect_matrices("B", b)
        axis = -1 if self.rightside else -2
        wanted = [*a[:-2], *b[-2:]]
        wanted[axis] = a[-1]
        if len(a) != len(b) or any(m != n and m and n for m, n in zip(wanted, b, strict=True)):
            raise self.fail(
                "B",
                b,
                f"{tuple(wanted)}, because A has shape {a} and rightside is {self.rightside}",
            )
        return [a, b], [b], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for B."""
        return [in_shapes[0], out_shapes[0]]

    def _outer(self, F: Any, of_a: Any, of_b: Any, alpha: float) -> Any:
        """Return the gradient of A, given the factors on A's side and on B's.

        Without a transpose it is `of_a of_b^T`, and for an A on the right `of_b^T of_a`.
        """
        first, second = (of_b, of_a) if self.transpose else (of_a, of_b)
        if self.rightside:
            product = F._linalg_gemm2(second, first, transpose_a=True, alpha=alpha)
        else:
            product = F._linalg_gemm2(first, second, transpose_b=True, alpha=alpha)
        return F._keep_triangle(product, lower=self.lower)


class Trmm(_Triangular):
    """Multiply by triangular matrices: alpha op(A) B, or with rightside alpha B op(A).

    op(A) is A, or its transpose with transpose (Dongarra et al., A set of level 3 basic linear
    algebra subprograms, 1990).

    Examples
    --------
    >>> from opforge import nd
    >>> a = nd.array([[1, 9], [2, 3]])  # the 9 is above the diagonal
    >>> nd.linalg.trmm(a, nd.ones((2, 1))).asnumpy().tolist()
    [[1.0], [5.0]]
    """

    name = "_linalg_trmm"
    category = "linear"
    aliases = ("linalg_trmm",)
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the triangle of G B^T, and op(A)^T G; both times alpha."""
        grad, (a, b) = out_grad[0], in_data
        of_a = self._outer(F, grad, b, self.alpha) if needs_gradient(a) else None
        settings = {"rightside": self.rightside, "lower": self.lower, "alpha": self.alpha}
        return [of_a, F._linalg_trmm(a, grad, transpose=not self.transpose, **settings)]


class Trsm(_Triangular):
    """Solve triangular systems: op(A) X = alpha B, or with rightside X op(A) = alpha B.

    op(A) is A, or its transpose with transpose (Dongarra et al., A set of level 3 basic linear
    algebra subprograms, 1990). A zero on the diagonal gives infinite or NaN elements.

    Examples
    --------
    >>> from opforge import nd
    >>> a = nd.array([[2, 0], [1, 4]])
    >>> nd.linalg.trsm(a, nd.array([[4], [6]])).asnumpy().tolist()
    [[2.0], [1.0]]
    """

    name = "_linalg_trsm"
    category = "linear"
    aliases = ("linalg_trsm",)
    saves = ("A", "outputs")

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the triangle of -W X^T, and alpha W, where op(A)^T W = G."""
        a = in_data[0]
        settings = {"rightside": self.rightside, "lower": self.lower}
        solved = F._linalg_trsm(a, out_grad[0], transpose=not self.transpose, **settings)
        of_a = self._outer(F, solved, out_data[0], -1.0) if needs_gradient(a) else None
        return [of_a, solved if self.alpha == 1 else solved * self.alpha]


class KeepTriangle(SquareOperator):
    """Return the lower or upper triangle, with zeros elsewhere."""

    name = "_keep_triangle"
    category = "linear"
    saves = ()
    lower = Attribute(bool, default=True, doc="Whether to keep the lower triangle, else the upper.")

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the triangle of the gradient."""
        return [F._keep_triangle(out_grad[0], lower=self.lower)]


class MirrorTriangle(SquareOperator):
    """Return symmetric matrices with the given triangle."""

    name = "_mirror_triangle"
    category = "linear"
    saves = ()
    lower = Attribute(
        bool, default=True, doc="Whether the lower triangle is given, else the upper."
    )

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the triangle of G + G^T, with the diagonal of G."""
        grad = out_grad[0]
        both = grad + F.swapaxes(grad, dim1=-2, dim2=-1)
        diagonal = F._linalg_makediag(F._linalg_extractdiag(grad))
        return [F._keep_triangle(both, lower=self.lower) - diagonal]
