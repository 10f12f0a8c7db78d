"""`StdOperator`: common base class of the primitive operators.

A subclass defines a shape rule and, unless it is a single elementwise kernel, the computation. By
default, all inputs have the same element type, which is also that of the outputs. May import
native, base and op, and does not depend on NDArray's Python class.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import ShapeError
from ..native.array import Array, empty, numpy_alias
from ..op.declaring.declaration import OperatorProp
from ..op.declaring.element_types import default_types
from ..op.declaring.gradients import needs_gradient

__all__ = [
    "ROWS",
    "StdOperator",
    "needs_gradient",
    "no_gradient",
    "no_gradients",
    "scratch",
    "shape_error",
    "store",
]

Shape = tuple[int, ...]

#: All primitive operators, in the order of definition.
ROWS: list[type["StdOperator"]] = []


class StdOperator(OperatorProp):
    """Base class of the primitive operators; subclasses with a name are added to `ROWS`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("name"):
            ROWS.append(cls)

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Return the input shapes with unknown dimensions inferred from other inputs."""
        return shapes

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        """Return the shapes of the outputs; by default, that of the first input."""
        return [shapes[0]]

    def infer_shape(self, in_shape: Sequence[Sequence[int]]) -> tuple[Any, Any, Any]:
        """Infer unknown shapes of inputs, and the shapes of the outputs."""
        shapes = self.complete([tuple(shape) for shape in in_shape])
        return shapes, self.output_shapes(*shapes), []

    def infer_type(self, in_type: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the declared types; indices of unknown type are left to other operators."""
        return default_types(self, in_type, completes=False)

    def infer_input_types(self, in_type: Sequence[Any], out_type: Sequence[Any]) -> list[Any]:
        """Infer unknown types of inputs from those of the outputs."""
        common = next((dtype for dtype in out_type if dtype is not None), None)
        if common is None or self.output_dtypes:
            return list(in_type)
        return [
            common if dtype is None and name not in self.argument_dtypes else dtype
            for name, dtype in zip(self.list_arguments(), in_type, strict=False)
        ]


def shape_error(operator: str, text: str) -> ShapeError:
    """Return the error for inputs of `operator` with wrong shapes."""
    return ShapeError(f"operator '{operator}': {text}")


def scratch(like: Array, shape: Shape, code: int | None = None) -> Array:
    """Return an uninitialized array on the device of `like`."""
    return empty(shape, like.dtype_code if code is None else code, like.context)


def store(out: Array, value: Any, req: str) -> None:
    """Write or add a NumPy result to `out`, for operators without a kernel."""
    if req == "null":
        return
    target = numpy_alias(out)
    if req == "add":
        value = target + value
    target[...] = np.asarray(value).reshape(target.shape)


def no_gradient(F: Any, item: Any) -> Any:
    """Return the zero gradient of an input that is not differentiable; None if not needed."""
    return F.zeros_like(item) if needs_gradient(item) else None


def no_gradients(
    self: Any, F: Any, out_grad: Sequence[Any], in_data: Sequence[Any], out_data: Sequence[Any]
) -> list[Any]:
    """Return None for each input, which means 0: the gradient of piecewise constant operators."""
    return [None] * len(self.list_arguments())
