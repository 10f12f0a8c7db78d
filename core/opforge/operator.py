"""Custom operators, as MXNet names them: `CustomOp`, `CustomOpProp`, `register`."""

from .op.custom import CustomOp as CustomOp
from .op.custom import CustomOpProp as CustomOpProp
from .op.declaration import OperatorProp as OperatorProp
from .op.registration import OperatorArguments as OperatorArguments
from .op.registration import get_all_registered_operators as get_all_registered_operators
from .op.registration import get_operator_arguments as get_operator_arguments
from .op.registration import register as register

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "OperatorArguments",
    "OperatorProp",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]
