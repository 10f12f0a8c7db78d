"""Element types of opforge in ONNX."""

from typing import Any

import numpy as np
from onnx import TensorProto

from ..errors import ExportError

__all__ = ["onnx_type"]

_TYPES = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
    "uint8": TensorProto.UINT8,
    "int8": TensorProto.INT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "bool": TensorProto.BOOL,
}


def onnx_type(dtype: Any) -> int:
    """Return ONNX's number of an element type.

    Examples
    --------
    >>> onnx_type("float32"), onnx_type(np.int64)
    (1, 7)
    """
    name = np.dtype(dtype).name
    if name not in _TYPES:
        raise ExportError(f"ONNX has no element type for {name}; expected one of {list(_TYPES)}")
    return _TYPES[name]
