"""Layer 0: errors, element types, devices and configuration. Imports nothing above itself."""

from .errors import MXNetError as MXNetError
from .errors import NotImplementedForSymbol as NotImplementedForSymbol
from .errors import OperatorError as OperatorError
from .errors import OpforgeError as OpforgeError

__all__ = ["MXNetError", "NotImplementedForSymbol", "OperatorError", "OpforgeError"]
