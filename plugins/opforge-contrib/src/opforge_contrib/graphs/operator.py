"""Base class of operators on graphs."""

from typing import Any

from opforge.plugin_api import OperatorProp, OpforgeError, ShapeError

__all__ = ["GraphOperator"]


class GraphOperator(OperatorProp):
    """Base class of operators whose first input, or inputs, are csr matrices."""

    category = "selection"
    differentiable = False

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Reject dense arrays, as in MXNet."""
        raise OpforgeError(
            f"operator '{self.name}': '{self.list_arguments()[0]}' is dense; expected a csr "
            "matrix, convert it by x.tostype('csr')"
        )

    def expect_vectors(self, shapes: Any, first: int) -> None:
        """Reject inputs from position `first` that have more than one axis."""
        names = self.list_arguments()
        for position in range(first, len(shapes)):
            if len(shapes[position]) > 1:
                raise ShapeError(
                    f"operator '{self.name}': '{names[position]}' has shape "
                    f"{tuple(shapes[position])}; expected one axis"
                )

    def expect_square(self, shape: Any) -> None:
        """Reject a graph whose numbers of rows and columns differ."""
        known = [length for length in shape if length]
        if (shape and len(shape) != 2) or len(set(known)) > 1:
            raise ShapeError(
                f"operator '{self.name}': '{self.list_arguments()[0]}' has shape {tuple(shape)}; "
                "expected a square matrix, a row and a column for each vertex"
            )
