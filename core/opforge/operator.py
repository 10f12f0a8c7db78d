"""Custom operators under MXNet's names: `CustomOp`, `CustomOpProp` and older kinds.

``import *`` also imports the names that callbacks need to cast handles of arrays.
"""

import ctypes

from .base.module_aliases import add_aliases as _add_aliases
from .ndarray import NDArray as NDArray
from .op.declaring.custom import CustomOp as CustomOp
from .op.declaring.custom import CustomOpProp as CustomOpProp
from .op.declaring.declaration import OperatorProp as OperatorProp
from .op.registry.registration import OperatorArguments as OperatorArguments
from .op.registry.registration import get_all_registered_operators as get_all_registered_operators
from .op.registry.registration import get_operator_arguments as get_operator_arguments
from .op.registry.registration import register as register

#: What callbacks cast handles of arrays to.
NDArrayHandle = ctypes.c_void_p

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "NDArray",
    "NDArrayHandle",
    "OperatorArguments",
    "OperatorProp",
    "ctypes",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]

_add_aliases(__name__)
