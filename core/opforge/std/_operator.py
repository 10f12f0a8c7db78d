"""`StdOperator`: what the rows of the primitive operators share.

A row states a shape rule and, where it is no single elementwise kernel, how to compute. Element
types follow one rule: all inputs agree, and the outputs have their type, unless the row says
otherwise. May import native, base and op; knows nothing of NDArray's Python class.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..base.dtypes import NAMES, code_of
from ..base.errors import DTypeError, ShapeError
from ..native.array import Array, empty, numpy_alias
from ..op.declaring.declaration import OperatorProp
from ..op.declaring.gradients import needs_gradient

__all__ = [
    "ROWS",
    "StdOperator",
    "needs_gradient",
    "no_gradient",
    "scratch",
    "shape_error",
    "store",
]

Shape = tuple[int, ...]

#: Every primitive operator, in the order of definition.
ROWS: list[type["StdOperator"]] = []


class StdOperator(OperatorProp):
    """Base of the primitive operators; a subclass with a name is a row of the table."""

    #: Inputs whose element type is free, for instance indices.
    free_types: ClassVar[Sequence[str]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("name"):
            ROWS.append(cls)

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Return the input shapes with what can be inferred filled in."""
        return shapes

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        """Return the shapes of the outputs; by default one like the first input's."""
        return [shapes[0]]

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        """Return the element types of the outputs; `common` is the type the inputs agree on."""
        return [common] * len(self.list_outputs())

    def infer_shape(self, in_shape: Sequence[Sequence[int]]) -> tuple[Any, Any, Any]:
        """Fill in the inputs' shapes and return those of the outputs."""
        shapes = self.complete([tuple(shape) for shape in in_shape])
        return shapes, self.output_shapes(*shapes), []

    def infer_type(self, in_type: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Check that the inputs agree and return the types of the outputs."""
        types = list(in_type)
        names = self.list_arguments()
        bound = [at for at, name in enumerate(names[: len(types)]) if name not in self.free_types]
        first = next((at for at in bound if types[at] is not None), None)
        if first is None:
            return types, self.output_types(None, types), []
        common, leader = types[first], names[first]
        for position in bound:
            name, dtype = names[position], types[position]
            if dtype is None:
                types[position] = common
            elif dtype != common:
                raise DTypeError(
                    f"operator '{self.name}': input '{name}' has dtype {_type_name(dtype)}, "
                    f"expected {_type_name(common)} because '{leader}' has it; "
                    "convert one with astype()"
                )
        return types, self.output_types(common, types), []

    def infer_input_types(self, in_type: Sequence[Any], out_type: Sequence[Any]) -> list[Any]:
        """Return the types of the inputs with what those of the outputs tell of them."""
        common = next((dtype for dtype in out_type if dtype is not None), None)
        if common is None or type(self).output_types is not StdOperator.output_types:
            return list(in_type)
        return [
            common if dtype is None and name not in self.free_types else dtype
            for name, dtype in zip(self.list_arguments(), in_type, strict=False)
        ]


def _type_name(dtype: Any) -> str:
    return NAMES[code_of(dtype)]


def shape_error(operator: str, text: str) -> ShapeError:
    """Return the error for inputs of `operator` whose shapes do not fit."""
    return ShapeError(f"operator '{operator}': {text}")


def scratch(like: Array, shape: Shape, code: int | None = None) -> Array:
    """Return uninitialised memory on the device of `like`."""
    return empty(shape, like.dtype_code if code is None else code, like.context)


def store(out: Array, value: Any, req: str) -> None:
    """Write or add a NumPy result into `out`; for operators that are not worth a kernel."""
    if req == "null":
        return
    target = numpy_alias(out)
    if req == "add":
        value = target + value
    target[...] = np.asarray(value).reshape(target.shape)


def no_gradient(F: Any, item: Any) -> Any:
    """Return the gradient of an input that the result does not depend on smoothly: zeros."""
    return F.zeros_like(item) if needs_gradient(item) else None
