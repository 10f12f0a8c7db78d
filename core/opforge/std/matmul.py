"""`matmul`: matrix products with broadcasting of batches, the operator ``@``."""

from math import prod
from typing import Any

from ..native import calls
from ..op.declaring.attribute import Attribute
from ._operator import StdOperator, needs_gradient, no_gradient, scratch, shape_error
from ._shapes import broadcast_shapes

__all__: list[str] = []

Shape = tuple[int, ...]


class MatMul(StdOperator):
    r"""Matrix products over the last two axes; other axes broadcast.

    .. math:: y_{\ldots i j} = \sum_k a_{\ldots i k} \, b_{\ldots k j}

    A vector on the left is a row, a vector on the right a column; the added axis is removed from
    the result.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.matmul(nd.ones((5, 2, 3)), nd.ones((3, 4))).shape
    (5, 2, 4)
    """

    name = "matmul"
    dtypes = ("floating", "integer")
    category = "linear"
    arguments = ("lhs", "rhs")
    saves = ("inputs",)
    transpose_a = Attribute(bool, default=False, doc="Transpose the matrices of `lhs` first.")
    transpose_b = Attribute(bool, default=False, doc="Transpose the matrices of `rhs` first.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        left, right = shapes
        if not left or not right:
            return [()]
        a, b = _matrices(left, right)
        rows, inner = a[-2:][::-1] if self._flips(self.transpose_a, left) else a[-2:]
        outer, columns = b[-2:][::-1] if self._flips(self.transpose_b, right) else b[-2:]
        if inner != outer:
            raise shape_error(
                self.name,
                f"arrays of shapes {left} and {right} with transpose_a={self.transpose_a}, "
                f"transpose_b={self.transpose_b} pair axes of {inner} and {outer} elements",
            )
        batch = broadcast_shapes(self.name, a[:-2], b[:-2])
        kept = [rows] * (len(left) > 1) + [columns] * (len(right) > 1)
        return [(*batch, *kept) or (1,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Multiply; a single matrix on the right is one product with all rows on the left."""
        (a, b), out = in_data, out_data[0]
        if not a.ndim or not b.ndim:
            raise shape_error(self.name, "arrays without dimensions cannot be multiplied; use *")
        left, right = _matrices(a.shape, b.shape)
        flips = self._flips(self.transpose_a, a.shape), self._flips(self.transpose_b, b.shape)
        rows, columns = left[-1 if flips[0] else -2], right[-2 if flips[1] else -1]
        if len(right) == 2 and not (flips[0] and len(left) > 2):
            stacked = prod(left[:-1]), left[-1]
            shapes = stacked, right, (prod(left[:-2]) * rows, columns)
            x, y, result = (v._view(0, shape) for v, shape in zip((a, b, out), shapes, strict=True))
            calls.gemm(x, y, result, *flips, req=req[0])
            return
        batch = broadcast_shapes(self.name, left[:-2], right[:-2])
        a, b = _repeat_batch(a, left, batch), _repeat_batch(b, right, batch)
        calls.batch_dot(a, b, out._view(0, (prod(batch), rows, columns)), *flips, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        a, b = in_data
        left, right = _matrices(a.shape, b.shape)
        ta, tb = self._flips(self.transpose_a, a.shape), self._flips(self.transpose_b, b.shape)
        if 0 in (*left, *right):
            return [no_gradient(F, a), no_gradient(F, b)]
        rows, columns = left[-1 if ta else -2], right[-2 if tb else -1]
        batch = broadcast_shapes(self.name, left[:-2], right[:-2])
        dy = out_grad[0].reshape((*batch, rows, columns))
        a2, b2 = a.reshape(left), b.reshape(right)
        da = db = None
        if needs_gradient(a):
            da = F.matmul(b2, dy, tb, True) if ta else F.matmul(dy, b2, False, not tb)
            da = _sum_over_batch(F, da, a2, batch).reshape(a.shape)
        if needs_gradient(b):
            if len(right) == 2 and not ta:
                stacked = prod(left[:-1])
                # One product over the rows of all matrices instead of a sum of products.
                a2, dy = a2.reshape((stacked, left[-1])), dy.reshape((stacked, columns))
                batch = ()
            db = F.matmul(dy, a2, True, ta) if tb else F.matmul(a2, dy, not ta, False)
            db = _sum_over_batch(F, db, b2, batch).reshape(b.shape)
        return [da, db]

    @staticmethod
    def _flips(transpose: bool, shape: Shape) -> bool:
        """Return whether matrices are transposed; vectors never are."""
        return transpose and len(shape) > 1


def _matrices(left: Shape, right: Shape) -> tuple[Shape, Shape]:
    """Return the shapes with an additional axis for vectors."""
    return (
        left if len(left) > 1 else (1, *left),
        right if len(right) > 1 else (*right, 1),
    )


def _repeat_batch(x: Any, shape: Shape, batch: Shape) -> Any:
    """Return `x` as a batch of matrices, repeated if necessary."""
    matrix = shape[-2:]
    flat = (prod(batch), *matrix)
    if shape[:-2] == batch:
        return x._view(0, flat)
    repeated = scratch(x, (*batch, *matrix))
    calls.broadcast_to(x._view(0, shape), repeated)
    return repeated._view(0, flat)


def _sum_over_batch(F: Any, grad: Any, like: Any, batch: Shape) -> Any:
    """Sum the gradients of a matrix over the products that used it."""
    return grad if batch == like.shape[:-2] else F._backward_broadcast(grad, like)
