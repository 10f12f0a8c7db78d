"""`nd.sparse`: arrays that store some of their elements, and operators for them.

An operator without an implementation for sparse arrays gets dense copies. Layer 4, as `nd`.
"""

from ...base.module_aliases import add_aliases as _add_aliases
from ...op.calling.functions import SubNamespace as _SubNamespace
from .._operators import operators as _operators
from . import calls as _calls  # noqa: F401 - dispatch calls it
from .arithmetic import add as add
from .arithmetic import divide as divide
from .arithmetic import multiply as multiply
from .arithmetic import subtract as subtract
from .base import BaseSparseNDArray as BaseSparseNDArray
from .creation import array as array
from .creation import csr_matrix as csr_matrix
from .creation import empty as empty
from .creation import row_sparse_array as row_sparse_array
from .creation import zeros as zeros
from .csr import CSRNDArray as CSRNDArray
from .row_sparse import RowSparseNDArray as RowSparseNDArray

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "add",
    "array",
    "csr_matrix",
    "divide",
    "empty",
    "multiply",
    "row_sparse_array",
    "subtract",
    "zeros",
]

__getattr__ = _SubNamespace(globals(), ("_sparse_", ""), _operators).attribute

_add_aliases(__name__)
