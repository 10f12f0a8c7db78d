"""Products of matrices: `gemm`, `gemm2` and `syrk`."""

from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.plugin_api import Attribute, needs_gradient

from .matrices import Dims, MatrixOperator


class _Product(MatrixOperator):
    """Base class of `gemm` and `gemm2`."""

    arguments: ClassVar[Sequence[str]] = ("A", "B")
    argument_docs = {
        "A": "matrices of shape (..., m, k), or (..., k, m) with transpose_a",
        "B": "matrices of shape (..., k, n), or (..., n, k) with transpose_b",
    }
    saves = ("inputs",)
    transpose_a = Attribute(bool, default=False, doc="Whether A is transposed.")
    transpose_b = Attribute(bool, default=False, doc="Whether B is transposed.")
    alpha = Attribute(float, default=1.0, doc="Factor of the product.")
    axis = Attribute(int, default=-2, doc="Axis of the rows of all matrices; columns are the last.")

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shape of the product; all axes except rows and columns must agree."""
        a, b = (tuple(shape) for shape in in_shape[:2])
        if not a or not b:
            return in_shape, [None], []
        self.expect_matrices("A", a)
        last = len(a) - 1
        axis = self.axis + len(a) if self.axis < 0 else self.axis
        if not 0 <= axis < last:
            raise self.fail("A", a, f"an axis of rows before the last one, got axis={self.axis}")
        rows, inner = (last, axis) if self.transpose_a else (axis, last)
        inner_b, columns = (last, axis) if self.transpose_b else (axis, last)
        self._expect_match(a, b, axis, (inner, inner_b))
        out = list(a)
        out[axis], out[last] = a[rows], b[columns]
        return [a, b, *[out for _ in in_shape[2:]]], [out], []

    def _expect_match(self, a: Dims, b: Dims, axis: int, inner: tuple[int, int]) -> None:
        batch_axes = [i for i in range(len(a) - 1) if i != axis]
        if len(a) != len(b) or any(a[i] != b[i] and a[i] and b[i] for i in batch_axes):
            raise self.fail("B", b, f"the batch axes of A, which has shape {a}; broadcast B first")
        rows, columns = a[inner[0]], b[inner[1]]
        if rows and columns and rows != columns:
            raise self.fail(
                "B",
                b,
                f"{rows} at axis {inner[1]}, because A has shape {a}, transpose_a is "
                f"{self.transpose_a} and transpose_b {self.transpose_b}",
            )

    def _gradients(self, F: Any, grad: Any, a: Any, b: Any) -> list[Any]:
        """Return the gradients of A and B."""
        settings = {"alpha": self.alpha, "axis": self.axis}

        def times(x: Any, y: Any, is_x_transposed: bool, is_y_transposed: bool) -> Any:
            return F._linalg_gemm2(
                x, y, transpose_a=is_x_transposed, transpose_b=is_y_transposed, **settings
            )

        grads: list[Any] = [None, None]
        if needs_gradient(a):
            swapped = self.transpose_a
            grads[0] = (
                times(b, grad, self.transpose_b, True)
                if swapped
                else times(grad, b, False, not self.transpose_b)
            )
        if needs_gradient(b):
            swapped = self.transpose_b
            grads[1] = (
                times(grad, a, True, self.transpose_a)
                if swapped
                else times(a, grad, not self.transpose_a, False)
            )
        return grads


class Gemm(_Product):
    """Multiply matrices and add others: alpha op(A) op(B) + beta C.

    op(X) is X, or its transpose if transpose_a or transpose_b is set (Dongarra et al., 1990). The
    axes before the rows are batches, which must agree; C has the shape of the product. If beta is
    0, C is not read.

    Examples
    --------
    >>> from opforge import nd
    >>> a, b, c = nd.ones((1, 2)), nd.array([[1, 2], [3, 4]]), nd.array([[10, 20]])
    >>> nd.linalg.gemm(a, b, c, alpha=2, beta=0.5).asnumpy().tolist()
    [[13.0, 22.0]]
    """

    name = "_linalg_gemm"
    category = "linear"
    aliases = ("linalg_gemm",)
    arguments = ("A", "B", "C")
    argument_docs = {**_Product.argument_docs, "C": "(..., m, n)"}
    beta = Attribute(float, default=1.0, doc="Factor of C.")

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for C."""
        return [*in_shapes[:2], out_shapes[0]]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradients of the product, and beta times the gradient for C."""
        return [*self._gradients(F, out_grad[0], *in_data[:2]), out_grad[0] * self.beta]


class Gemm2(_Product):
    """Multiply matrices: alpha op(A) op(B).

    op(X) is X, or its transpose if transpose_a or transpose_b is set (Dongarra et al., 1990). The
    axes before the rows are batches, which must agree.

    Examples
    --------
    >>> from opforge import nd
    >>> a = nd.array([[1, 2], [3, 4]])
    >>> nd.linalg.gemm2(a, a, transpose_b=True, alpha=2).asnumpy().tolist()
    [[10.0, 22.0], [22.0, 50.0]]
    """

    name = "_linalg_gemm2"
    category = "linear"
    aliases = ("linalg_gemm2",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradients of the product."""
        return self._gradients(F, out_grad[0], *in_data)


class Syrk(MatrixOperator):
    """Multiply matrices with their transposes: alpha A A^T, or with transpose alpha A^T A.

    The result is exactly symmetric (Dongarra et al., 1990).

    Examples
    --------
    >>> from opforge import nd
    >>> a = nd.array([[1, 2, 3], [4, 5, 6]])
    >>> nd.linalg.syrk(a).asnumpy().tolist()
    [[14.0, 32.0], [32.0, 77.0]]
    """

    name = "_linalg_syrk"
    category = "linear"
    aliases = ("linalg_syrk",)
    argument_docs = {"A": "matrices of shape (..., m, n)"}
    saves = ("inputs",)
    transpose = Attribute(bool, default=False, doc="Whether the first factor is transposed.")
    alpha = Attribute(float, default=1.0, doc="Factor of the product.")

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shape of the square products."""
        if not in_shape[0]:
            return in_shape, [None], []
        shape = tuple(in_shape[0])
        self.expect_matrices("A", shape)
        side = shape[-1] if self.transpose else shape[-2]
        return [shape], [(*shape[:-2], side, side)], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return alpha (G + G^T) A, or alpha A (G + G^T)."""
        grad, a = out_grad[0], in_data[0]
        factors = (a, grad) if self.transpose else (grad, a)
        swapped = {"transpose_b": True} if self.transpose else {"transpose_a": True}
        first = F._linalg_gemm2(*factors, alpha=self.alpha, **swapped)
        return [F._linalg_gemm(*factors, first, alpha=self.alpha)]
