"""Products of matrices: dot, batch_dot and FullyConnected."""

from math import prod
from typing import Any

from ..native import calls
from ..op.declaring.attribute import Attribute
from ..op.declaring.epilogue import EPILOGUES
from ._operator import StdOperator, needs_gradient, shape_error

__all__: list[str] = []

Shape = tuple[int, ...]

_STORAGE = "Storage type of the result; in graphs, arrays are dense."


class _Product(StdOperator):
    dtypes = ("floating", "integer")
    category = "linear"
    arguments = ("lhs", "rhs")
    saves = ("inputs",)
    transpose_a = Attribute(bool, default=False, doc="Transpose `lhs` first.")
    transpose_b = Attribute(bool, default=False, doc="Transpose `rhs` first.")
    forward_stype = Attribute(str, default=None, doc=_STORAGE)


class Dot(_Product):
    r"""Dot product over the last axis of `lhs` and the first axis of `rhs`.

    .. math:: y_{i \ldots j \ldots} = \sum_k a_{i \ldots k} \, b_{k j \ldots}

    Examples
    --------
    >>> from opforge import nd
    >>> nd.dot(nd.array([[1, 2], [3, 4]]), nd.array([[1], [10]])).asnumpy().tolist()
    [[21.0], [43.0]]
    """

    name = "dot"

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.Dot(self.transpose_a, self.transpose_b)

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Infer the length of the axis that is summed from the other operand."""
        left, right = shapes
        if not left or not right:
            return shapes
        of_left, of_right = 0 if self.transpose_a else -1, -1 if self.transpose_b else 0
        length = left[of_left] or right[of_right]
        return [
            _with_length(left, of_left, length),
            _with_length(right, of_right, length),
        ]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        left, right = shapes
        if not left or not right:
            return [()]
        inner = left[0] if self.transpose_a else left[-1]
        outer = right[-1] if self.transpose_b else right[0]
        if inner != outer:
            raise shape_error(
                self.name,
                f"dot shape error: {left} X {right} with transpose_a={self.transpose_a}, "
                f"transpose_b={self.transpose_b} would pair axes of {inner} and {outer} elements",
            )
        if len(left) == 1 and len(right) == 1:
            return [(1,)]
        rows = left[1:] if self.transpose_a else left[:-1]
        columns = right[:-1] if self.transpose_b else right[1:]
        return [(rows + columns) or (1,)]

    def _flips(self, left: Any, right: Any) -> tuple[bool, bool]:
        """Return which of the two matrices are transposed; a vector is a column."""
        return self.transpose_a or left.ndim == 1, self.transpose_b and right.ndim > 1

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        a, b = in_data
        ta, tb = self.transpose_a, self.transpose_b
        dy = out_grad[0]
        if getattr(a, "ndim", 2) == 2 and getattr(b, "ndim", 2) == 2:
            return [
                _left_gradient(F, dy, b, ta, tb) if needs_gradient(a) else None,
                _right(F, dy, a, ta, tb) if needs_gradient(b) else None,
            ]
        # Other ranks: flatten to matrices, with a vector as a column.
        a2, b2 = (
            _flatten_to_matrix(a, ta or a.ndim == 1),
            _flatten_to_matrix(b, not tb or b.ndim == 1),
        )
        ta, tb = self._flips(a, b)
        dy = dy.reshape((a2.shape[1] if ta else a2.shape[0], b2.shape[0] if tb else b2.shape[1]))
        da, db = _left_gradient(F, dy, b2, ta, tb), _right(F, dy, a2, ta, tb)
        return [da.reshape(a.shape), db.reshape(b.shape)]


def _with_length(shape: Shape, axis: int, length: int) -> Shape:
    """Return a shape with an unknown length replaced."""
    if shape[axis]:
        return shape
    lengths = list(shape)
    lengths[axis] = length
    return tuple(lengths)


def _flatten_to_matrix(array: Any, split_first: bool) -> Any:
    """Reshape to a matrix whose columns (rows with `split_first`) are a single axis."""
    return array.reshape(_matrix_shape(array.shape, split_first))


def _matrix_shape(shape: Shape, split_first: bool) -> Shape:
    if len(shape) == 2:
        return shape
    return (shape[0], prod(shape[1:])) if split_first else (prod(shape[:-1]), shape[-1])


def _left_gradient(F: Any, dy: Any, b: Any, ta: bool, tb: bool) -> Any:
    """Return the gradient of the left matrix."""
    return F.dot(b, dy, tb, True) if ta else F.dot(dy, b, False, not tb)


def _right(F: Any, dy: Any, a: Any, ta: bool, tb: bool) -> Any:
    """Return the gradient of the right matrix."""
    return F.dot(dy, a, True, ta) if tb else F.dot(a, dy, not ta, False)


class BatchDot(_Product):
    """Batched matrix product.

    .. math:: y_n = a_n b_n

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.ones((4, 2, 3))
    >>> nd.batch_dot(x, x, transpose_b=True).shape
    (4, 2, 2)
    """

    name = "batch_dot"

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        left, right = shapes
        if not left or not right:
            return [()]
        if len(left) != len(right) or len(left) < 3 or left[:-2] != right[:-2]:
            raise shape_error(
                self.name,
                f"lhs has shape {left} and rhs {right}; expected at least 3 dimensions and equal "
                "batch axes",
            )
        rows, inner = left[-2:][::-1] if self.transpose_a else left[-2:]
        outer, columns = right[-2:][::-1] if self.transpose_b else right[-2:]
        if inner != outer:
            raise shape_error(
                self.name, f"matrices of shapes {left} and {right} pair axes of {inner} and {outer}"
            )
        return [(*left[:-2], rows, columns)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Multiply each pair."""
        arrays = (*in_data, out_data[0])
        a, b, out = (x._view(0, (prod(x.shape[:-2]), *x.shape[-2:])) for x in arrays)
        calls.batch_dot(a, b, out, self.transpose_a, self.transpose_b, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        a, b = in_data
        ta, tb, dy, times = self.transpose_a, self.transpose_b, out_grad[0], F.batch_dot
        da = db = None
        if needs_gradient(a):
            da = times(b, dy, tb, True) if ta else times(dy, b, False, not tb)
        if needs_gradient(b):
            db = times(dy, a, True, ta) if tb else times(a, dy, not ta, False)
        return [da, db]


class FullyConnected(StdOperator):
    r"""Fully connected layer: ``data . weight^T + bias``.

    .. math:: y = x W^\top + b

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight, bias = nd.array([[1, 2]]), nd.array([[3, 4], [5, 6]]), nd.array([10, 20])
    >>> nd.FullyConnected(data, weight, bias, num_hidden=2).asnumpy().tolist()
    [[21.0, 37.0]]
    """

    name = "FullyConnected"
    dtypes = ("floating", "integer")
    category = "linear"
    arguments = ("data", "weight", "bias")
    saves = ("data", "weight")
    epilogues = EPILOGUES
    epilogue_dtypes = ("float32", "float64", "bfloat16")
    num_hidden = Attribute(int, ge=1, doc="Number of output features.")
    no_bias = Attribute(bool, default=False, doc="Whether to omit the bias.")
    flatten = Attribute(bool, default=True, doc="Flatten all axes except the first.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.Dense(self.num_hidden, not self.no_bias)

    def list_arguments(self) -> list[str]:
        return ["data", "weight"] if self.no_bias else ["data", "weight", "bias"]

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        data, weight = shapes[:2]
        units = self.num_hidden
        inner = 0
        if data:
            inner = prod(data[1:]) if self.flatten else data[-1]
        expected = (units, inner)
        if weight and (
            len(weight) != 2
            or any(
                have not in (0, want) and want for have, want in zip(weight, expected, strict=True)
            )
        ):
            raise shape_error(
                self.name,
                f"input 'weight' has shape {weight}, expected {expected} because 'data' has shape "
                f"{data} and num_hidden is {units}",
            )
        bias: Shape = (units,)
        if not self.no_bias and shapes[2] not in ((), (0,), bias):
            if shapes[2] not in ((units, 1), (0, 1)):
                raise shape_error(
                    self.name,
                    f"input 'bias' has shape {shapes[2]}, expected {(units,)} or {(units, 1)}: "
                    f"num_hidden is {units}",
                )
            bias = (units, 1)  # shape of MXNet's row-sparse biases
        return [data, expected if inner or not weight else weight, bias][: len(shapes)]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        if not data:
            return [()]
        if self.flatten:
            return [(data[0], self.num_hidden)]
        return [(*data[:-1], self.num_hidden)]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer the batch axes of `data` from the output, if its rank is known."""
        data, *rest = in_shapes
        kept = 1 if self.flatten else len(data) - 1
        rows = out_shapes[0][:kept]
        if data and len(rows) == kept:
            data = (*(have or row for have, row in zip(data, rows, strict=False)), *data[kept:])
        return [data, *rest]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        data, weight = in_data[:2]
        dy = self._rows(out_grad[0], False)
        dx = dw = None
        if needs_gradient(data):
            dx = F.dot(dy, weight)
            if getattr(data, "ndim", 0) != 2:
                dx = F.reshape_like(dx, data)
        if needs_gradient(weight):
            dw = F.dot(dy, self._rows(data, self.flatten), True)
        if self.no_bias:
            return [dx, dw]
        db, bias = F.sum(dy, 0), in_data[2]
        is_column = len(getattr(bias, "shape", ())) == 2
        return [dx, dw, F.reshape_like(db, bias) if is_column else db]

    def _rows(self, array: Any, flatten: bool) -> Any:
        """Return `array` as a matrix; matrices are returned unchanged."""
        ndim = getattr(array, "ndim", 0)
        if ndim == 2:
            return array
        if ndim == 1:
            return array.reshape((-1, 1) if flatten else (1, -1))
        return array.reshape((0, -1)) if flatten else array.reshape((-1, 0), reverse=True)
