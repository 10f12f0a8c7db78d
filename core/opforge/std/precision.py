"""For training in mixed precision: conversions between float types, and tests of gradients."""

from typing import Any

import numpy as np

from ..base.dtypes import code_of
from ..base.errors import DTypeError
from ..native import calls
from ..native.array import Array, numpy_alias
from ..op.declaring.attribute import Attribute, DType
from ._operator import Shape, StdOperator, needs_gradient, no_gradient, scratch, store
from .pointwise import Cast

__all__: list[str] = []

_FLOATS = (np.float16, np.float32, np.float64)
_FLOAT64 = code_of("float64")


class AmpCast(Cast):
    """Convert between types of floating point; other types stay what they are."""

    name = "amp_cast"
    aliases = ()
    dtype = Attribute(DType, doc="The new type, of arrays of floating point.")

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        return [self.dtype if common in _FLOATS else common]


class AmpMulticast(StdOperator):
    """Convert arrays of floating point to the widest of their types, or to the narrowest."""

    name = "amp_multicast"
    category = "elementwise"
    arguments = ("data",)
    variadic = "num_outputs"
    saves = ("inputs",)
    num_outputs = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")
    cast_narrow = Attribute(bool, default=False, doc="Whether to convert to the narrowest type.")

    def list_outputs(self) -> list[str]:
        """Return a name for each input."""
        return [f"output{at}" for at in range(self.num_outputs)]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return list(shapes)

    def infer_type(self, in_type: Any) -> Any:
        """Give all results of floating point one type, whatever types the inputs have."""
        sizes = [np.dtype(dtype).itemsize for dtype in in_type if dtype in _FLOATS]
        if not sizes:
            return list(in_type), list(in_type), []
        common = next(
            dtype
            for dtype in _FLOATS
            if np.dtype(dtype).itemsize == (min(sizes) if self.cast_narrow else max(sizes))
        )
        return list(in_type), [common if t in _FLOATS else t for t in in_type], []

    def infer_input_types(self, in_type: Any, out_type: Any) -> list[Any]:
        """Return what is known: the types of the results tell nothing."""
        return list(in_type)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Convert each."""
        for x, out, how in zip(in_data, out_data, req, strict=True):
            calls.cast(x, out, how)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [
            F._cast_like(grad, x) if needs_gradient(x) else None
            for grad, x in zip(out_grad, in_data, strict=True)
        ]


class _Arrays(StdOperator):
    """Tells something of arrays of any shapes and types of floating point, as float32."""

    category = "reduction"
    arguments = ("data",)
    saves = ("inputs",)

    def infer_type(self, in_type: Any) -> Any:
        """Expect floating point."""
        for position, dtype in enumerate(in_type):
            if dtype is not None and dtype not in _FLOATS:
                raise DTypeError(
                    f"operator '{self.name}': input number {position} has dtype "
                    f"{np.dtype(dtype).name}, expected float16, float32 or float64"
                )
        return list(in_type), [np.float32], []

    def infer_input_types(self, in_type: Any, out_type: Any) -> list[Any]:
        """Return what is known: the type of the result tells nothing."""
        return list(in_type)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [no_gradient(F, x) for x in in_data]


class AllFinite(_Arrays):
    """Return 1 where all elements are finite, else 0."""

    name = "all_finite"
    init_output = Attribute(
        bool, default=True, doc="False: 0 as well where the array given as out holds 0."
    )

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(1,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Test one array after the other."""
        finite = all(_is_finite(x) for x in in_data)
        if not self.init_output:
            finite = finite and bool(numpy_alias(out_data[0])[0])
        store(out_data[0], np.float32(finite), req[0])


class MultiAllFinite(AllFinite):
    """Return 1 where all elements of all arrays are finite, else 0."""

    name = "multi_all_finite"
    variadic = "num_arrays"
    num_arrays = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")


class MultiSumSq(_Arrays):
    """Return the sum of squares of each array."""

    name = "multi_sum_sq"
    variadic = "num_arrays"
    num_arrays = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(self.num_arrays,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Square the norms, which are float64."""
        norms = [_folded("norm", x) for x in in_data]
        with np.errstate(over="ignore"):
            store(out_data[0], np.square(norms).astype(np.float32), req[0])


def _is_finite(x: Array) -> bool:
    if x.size == 0 or np.isfinite(_folded("norm1", x)):
        return True
    # The sum alone may have left the range of float64.
    return x.dtype == np.float64 and bool(np.isfinite(numpy_alias(x)).all())


def _folded(name: str, x: Array) -> float:
    """Return what a reduction of all of `x` gives, in float64."""
    if x.size == 0:
        return 0.0
    result = scratch(x, (1,), _FLOAT64)
    calls.reduce(name, x, result)
    return float(numpy_alias(result)[0])
