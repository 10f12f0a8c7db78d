"""Support for Numba cfuncs as operator functions: their signature, and the arrays of a call.

A separate module, because it imports Numba.
"""

from typing import Any

import numpy as np

try:
    from numba import carray, from_dtype, njit, types
    from numba.extending import intrinsic
except ImportError as error:
    raise ImportError(
        "operators in Numba need Numba, which is not installed: pip install numba"
    ) from error

from ...native.abi.table import DTYPES

__all__ = [
    "BFLOAT16",
    "BOOL",
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "INT8",
    "INT32",
    "INT64",
    "SIGNATURE",
    "UINT8",
    "attribute",
    "in_grad",
    "input_array",
    "out_grad",
    "output_array",
    "type_of_input",
]

#: Element types, as `type_of_input` returns them, in the order of the table.
FLOAT32, FLOAT64, FLOAT16, UINT8, INT32, INT8, INT64, BOOL, BFLOAT16 = DTYPES

#: The signature of each function: ``@cfunc(numba_views.SIGNATURE)``.
SIGNATURE = types.int32(types.voidptr)

_POINTER = np.uintp
#: The structures of abi.h, up to the last field that the functions below read.
_CALL = np.dtype(
    [
        ("head", np.uint64),
        ("host", _POINTER),
        ("device", np.uint64),
        *((name, _POINTER) for name in ("stream", "attributes", "state", "plan", "workspace")),
        ("workspace_bytes", np.int64),
        *((name, _POINTER) for name in ("inputs", "outputs", "states", "arguments")),
        *((name, _POINTER) for name in ("out_grads", "in_grads")),
    ],
    align=True,
)
_TENSOR = np.dtype(
    [
        ("data", _POINTER),
        ("byte_size", np.int64),
        ("shape", _POINTER),
        ("strides", _POINTER),
        ("ndim", np.int32),
        ("dtype", np.int32),
        ("device", np.uint64),
    ],
    align=True,
)
_ATTRIBUTE = np.dtype(
    [
        ("name", _POINTER),
        ("kind", np.int32),
        ("reserved", np.int32),
        ("size", np.int64),
        ("integer", np.int64),
        ("number", np.float64),
        *((name, _POINTER) for name in ("text", "integers", "numbers")),
    ],
    align=True,
)


def _casting_to(pointer: Any) -> Any:
    """Return a Numba intrinsic that casts an address to a pointer type."""

    @intrinsic
    def cast(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = context.get_value_type(pointer)
            if isinstance(address, types.Integer):
                return builder.inttoptr(args[0], kind)
            return builder.bitcast(args[0], kind)

        return pointer(address), codegen

    return cast


_memory = _casting_to(types.voidptr)
_call = _casting_to(types.CPointer(from_dtype(_CALL)))
_tensors = _casting_to(types.CPointer(from_dtype(_TENSOR)))
_attributes = _casting_to(types.CPointer(from_dtype(_ATTRIBUTE)))


@njit
def _elements(tensors: Any, position: Any, dtype: Any) -> Any:
    tensor = carray(_tensors(tensors), position + 1)[position]
    item = carray(_memory(tensor.data), 1, dtype).itemsize
    return carray(_memory(tensor.data), tensor.byte_size // item, dtype)


@njit
def input_array(call: Any, position: Any, dtype: Any) -> Any:
    """Return the elements of an input as a flat array.

    Parameters
    ----------
    call : voidptr
        Argument of the cfunc.
    position : int
    dtype : NumPy type
        Type of the input, which the declaration's `infer_type` must guarantee.
    """
    return _elements(carray(_call(call), 1)[0].inputs, position, dtype)


@njit
def output_array(call: Any, position: Any, dtype: Any) -> Any:
    """Return the elements of an output; see `input_array`."""
    return _elements(carray(_call(call), 1)[0].outputs, position, dtype)


@njit
def out_grad(call: Any, position: Any, dtype: Any) -> Any:
    """Return the elements of the gradient of an output in `backward`; see `input_array`."""
    return _elements(carray(_call(call), 1)[0].out_grads, position, dtype)


@njit
def in_grad(call: Any, position: Any, dtype: Any) -> Any:
    """Return the elements of the gradient of an input, to fill; see `input_array`."""
    return _elements(carray(_call(call), 1)[0].in_grads, position, dtype)


@njit
def attribute(call: Any, position: Any) -> Any:
    """Return a numeric attribute by its position in the declaration."""
    attributes = carray(_call(call), 1)[0].attributes
    return carray(_attributes(attributes), position + 1)[position].number


@njit
def type_of_input(call: Any, position: Any) -> Any:
    """Return the element type of an input: `FLOAT32`, `FLOAT64` or another of the constants."""
    inputs = carray(_call(call), 1)[0].inputs
    return carray(_tensors(inputs), position + 1)[position].dtype
