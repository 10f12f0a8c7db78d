"""Operators for mixed precision: conversions between float types, and tests of gradients."""

from typing import Any

import numpy as np

from ..base.dtypes import code_of, is_floating
from ..native import calls
from ..native.array import Array, numpy_alias
from ..op.declaring.attribute import Attribute, DType
from ._operator import Shape, StdOperator, needs_gradient, no_gradients, scratch, store
from .pointwise import Cast

__all__: list[str] = []

_FLOAT64 = code_of("float64")


def _is_float(dtype: Any) -> bool:
    """Return whether a type is known and floating-point."""
    return dtype is not None and is_floating(code_of(dtype))


def _common(dtypes: list[Any], narrowest: bool) -> Any:
    """Return the narrowest or the widest type; float32 for different types of 16 bits."""
    widths = [np.dtype(dtype).itemsize for dtype in dtypes]
    width = min(widths) if narrowest else max(widths)
    found = [dtype for dtype, one in zip(dtypes, widths, strict=True) if one == width]
    return found[0] if narrowest or len({*found}) == 1 else np.float32


class AmpCast(Cast):
    """Convert between floating-point types; arrays of other types are unchanged.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.amp_cast(nd.array([1, 2]), dtype="float16").dtype.__name__
    'float16'
    """

    name = "amp_cast"
    aliases = ()
    output_dtypes = {"output": {"floating": "dtype"}}
    dtype = Attribute(DType, doc="Target type of floating-point arrays.")


class AmpMulticast(StdOperator):
    """Convert floating-point arrays to the widest, or the narrowest, of their types.

    Examples
    --------
    >>> from opforge import nd
    >>> a, b = nd.amp_multicast(nd.ones(2, dtype="float16"), nd.ones(2), num_outputs=2)
    >>> a.dtype.__name__, b.dtype.__name__
    ('float32', 'float32')
    """

    name = "amp_multicast"
    category = "elementwise"
    arguments = ("data",)
    variadic = "num_outputs"
    saves = ("inputs",)
    num_outputs = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")
    cast_narrow = Attribute(bool, default=False, doc="Whether to convert to the narrowest type.")

    def list_outputs(self) -> list[str]:
        """Return a name for each input."""
        count = self.num_outputs
        return [f"output{i}" for i in range(count)] if count > 1 else ["output"]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return list(shapes)

    def infer_type(self, in_type: Any) -> Any:
        """Return the common type for all floating-point outputs."""
        floats = [dtype for dtype in in_type if _is_float(dtype)]
        if not floats:
            return list(in_type), list(in_type), []
        common = _common(floats, self.cast_narrow)
        return list(in_type), [common if _is_float(t) else t for t in in_type], []

    def infer_input_types(self, in_type: Any, out_type: Any) -> list[Any]:
        """Return the known types; those of the outputs do not determine others."""
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
    """Base of operators on floating-point arrays of any shapes, with a float32 result."""

    category = "reduction"
    arguments = ("data",)
    dtypes = ("floating",)
    output_dtypes = {"output": "float32"}
    saves = ()
    zero_gradient = True
    gradient = no_gradients

    def infer_type(self, in_type: Any) -> Any:
        """Return float32; the types of the arrays may differ."""
        return list(in_type), [np.float32], []

    def infer_input_types(self, in_type: Any, out_type: Any) -> list[Any]:
        """Return the known types; that of the output does not determine others."""
        return list(in_type)


class AllFinite(_Arrays):
    """Return 1 if all elements are finite, else 0.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.all_finite(nd.array([1, float('inf')])).asnumpy().tolist()
    [0.0]
    """

    name = "all_finite"
    init_output = Attribute(
        bool, default=True, doc="False: also return 0 if the array passed as out contains 0."
    )

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(1,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Test each array."""
        finite = all(_is_finite(x) for x in in_data)
        if not self.init_output:
            finite = finite and bool(numpy_alias(out_data[0])[0])
        store(out_data[0], np.float32(finite), req[0])


class MultiAllFinite(AllFinite):
    """Return 1 if all elements of all arrays are finite, else 0.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.multi_all_finite(nd.array([1, 2]), nd.array([3]), num_arrays=2).asnumpy().tolist()
    [1.0]
    """

    name = "multi_all_finite"
    variadic = "num_arrays"
    num_arrays = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")


class MultiSumSq(_Arrays):
    """Return the sum of squares of each array.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.multi_sum_sq(nd.array([1, 2]), nd.array([3]), num_arrays=2).asnumpy().tolist()
    [5.0, 9.0]
    """

    name = "multi_sum_sq"
    variadic = "num_arrays"
    num_arrays = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(self.num_arrays,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Square the float64 norms."""
        norms = [_reduce_in_float64("norm", x) for x in in_data]
        with np.errstate(over="ignore"):
            store(out_data[0], np.square(norms).astype(np.float32), req[0])


def _is_finite(x: Array) -> bool:
    if x.size == 0 or np.isfinite(_reduce_in_float64("norm1", x)):
        return True
    # The sum may have overflowed although all elements are finite.
    return x.dtype == np.float64 and bool(np.isfinite(numpy_alias(x)).all())


def _reduce_in_float64(name: str, x: Array) -> float:
    """Return a full reduction of `x` in float64."""
    if x.size == 0:
        return 0.0
    result = scratch(x, (1,), _FLOAT64)
    calls.reduce(name, x, result)
    return float(numpy_alias(result)[0])
