"""Operators of one's own, as MXNet names them: `CustomOp`, `CustomOpProp`, older kinds.

``import *`` also brings what callbacks that cast handles of arrays need.
"""

import ctypes

from .base.c_library import NDArrayHandle as NDArrayHandle
from .ndarray import NDArray as NDArray
from .op.declaring.custom import CustomOp as CustomOp
from .op.declaring.custom import CustomOpProp as CustomOpProp
from .op.declaring.declaration import OperatorProp as OperatorProp
from .op.registry.registration import OperatorArguments as OperatorArguments
from .op.registry.registration import get_all_registered_operators as get_all_registered_operators
from .op.registry.registration import get_operator_arguments as get_operator_arguments
from .op.registry.registration import register as register
from .symbol.legacy import NDArrayOp as NDArrayOp
from .symbol.legacy import NumpyOp as NumpyOp
from .symbol.legacy import PythonOp as PythonOp

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "NDArray",
    "NDArrayHandle",
    "NDArrayOp",
    "NumpyOp",
    "OperatorArguments",
    "OperatorProp",
    "PythonOp",
    "ctypes",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]
