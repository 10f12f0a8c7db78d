"""Base classes of the declarations, and checks of shapes."""

from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.plugin_api import ShapeError, native

from .library import LIBRARY

__all__ = ["Dims", "MatrixOperator", "SquareOperator"]

Dims = tuple[int, ...]


class MatrixOperator(native.NativeOperator):
    """Base class of operators on the matrices in the last two axes of float32 or float64 arrays."""

    library = LIBRARY
    dtypes = ("float32", "float64")
    arguments: ClassVar[Sequence[str]] = ("A",)

    def fail(self, argument: str, shape: Dims, expected: str) -> ShapeError:
        """Return an error about the shape of an input."""
        return ShapeError(
            f"operator '{self.name}': {argument} has shape {shape}; expected {expected}"
        )

    def expect_matrices(self, argument: str, shape: Dims) -> None:
        """Raise unless a shape has the axes of matrices."""
        if len(shape) < 2:
            raise self.fail(argument, shape, "at least two axes, the rows and columns of matrices")

    def square(self, argument: str, shape: Dims) -> Dims:
        """Return a shape of square matrices, with an unknown side inferred from the other."""
        self.expect_matrices(argument, shape)
        *batch, rows, columns = shape
        if rows and columns and rows != columns:
            raise self.fail(argument, shape, "square matrices in the last two axes")
        side = rows or columns
        return (*batch, side, side)


class SquareOperator(MatrixOperator):
    """Base class of operators on square matrices A whose outputs have A's shape."""

    #: Whether the outputs have one element per matrix instead.
    reduces: ClassVar[bool] = False

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return A's shape for each output, or that of the batch; (1,) for a single matrix."""
        count = len(self.list_outputs())
        if not in_shape[0]:
            return in_shape, [None] * count, []
        shape = self.square("A", tuple(in_shape[0]))
        out = (shape[:-2] or (1,)) if self.reduces else shape
        return [shape], [out] * count, []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for A, if they are the same."""
        return list(in_shapes) if self.reduces else [out_shapes[0]]
