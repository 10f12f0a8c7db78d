"""Operators that only graphs need: arrays as constants, and checks of values."""

from base64 import b64decode, b64encode
from typing import Any

import numpy as np

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    DType,
    F,
    OperatorProp,
    Shape,
    kernels,
    numpy_semantics,
)

__all__ = ["constant", "export_constant"]


class Constant(OperatorProp):
    """Return an array whose elements are part of the operator.

    Examples
    --------
    >>> from opforge import nd
    >>> nd._np_constant(data="AACAPwAAAEA=", shape=(2,), dtype="float32").asnumpy().tolist()
    [1.0, 2.0]
    """

    name = "_np_constant"
    arguments = ()
    output_dtypes = {"output": "dtype"}
    differentiable = False
    attrs = {"IsConstant": True}
    data = Attribute(str, doc="Bytes of the elements in base64.")
    shape = Attribute(Shape, doc="Shape of the array.")
    dtype = Attribute(DType, doc="Element type.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        #: A NumPy array: operators are cached, and arrays of the pool should not be.
        self._values = np.frombuffer(b64decode(self.data), self.dtype).reshape(self.shape)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the array."""
        return in_shape, [self.shape], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the elements."""
        values = F.array(self._values, dtype=self._values.dtype)
        kernels.cast(values, out_data[0], req=req[0])


def export_constant(prop: Any, call: Any) -> Any:
    """Translate a constant to ONNX."""
    return call.constant(prop._values, call.outputs[0].dtype)


class ConstraintCheck(OperatorProp):
    """Return 1 if all elements are true, and raise an error with `msg` if not.

    Examples
    --------
    >>> from opforge import nd
    >>> nd._npx_constraint_check(nd.array([1, 1], dtype="bool")).asnumpy().tolist()
    [1.0]
    """

    name = "_npx_constraint_check"
    category = "reduction"
    dtypes = ("bool",)
    output_dtypes = {"output": "float32"}
    differentiable = False
    msg = Attribute(str, default="Constraint violated!", doc="Text of the error.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of a single element."""
        return in_shape, [(1,)], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Check the elements."""
        if not in_data[0].asnumpy().all():
            raise AttributeValueError(self.msg)
        kernels.cast(F.ones((1,)), out_data[0], req=req[0])


def constant(sym: Any, array: Any) -> Any:
    """Return an array as a constant of a graph.

    Parameters
    ----------
    sym : module
        Namespace of the operators of symbols.
    array : NDArray
    """
    values = array.asnumpy()
    if values.size and (values == values.flat[0]).all():
        filled = sym.full(array.shape or (1,), values.flat[0].item(), dtype=values.dtype.name)
        is_scalar = not array.shape and numpy_semantics.is_np_shape()
        return sym.reshape(filled, shape=()) if is_scalar else filled
    data = b64encode(np.ascontiguousarray(values).tobytes()).decode()
    return sym._internal._np_constant(data=data, shape=array.shape, dtype=values.dtype.name)
