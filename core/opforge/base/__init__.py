"""Layer 0: errors, element types, devices and configuration. Imports nothing above itself.

The module is MXNet's `base` too; opforge-mxnet adds the names that only its programs use.
"""

from .errors import MXNetError as MXNetError
from .errors import NotImplementedForSymbol as NotImplementedForSymbol
from .errors import NotSupportedForSparseNDArray as NotSupportedForSparseNDArray
from .errors import OperatorError as OperatorError
from .errors import OpforgeError as OpforgeError
from .module_aliases import add_aliases as _add_aliases

__all__ = ["MXNetError", "NotImplementedForSymbol", "OperatorError", "OpforgeError"]

_add_aliases(__name__)
