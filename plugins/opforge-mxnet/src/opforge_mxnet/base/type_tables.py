"""MXNet's tables of element types, storage types and gradient requests."""

from opforge.base.dtypes import TYPES, dtype_of
from opforge.base.storage_types import STORAGE_TYPES

__all__: list[str] = []

_DTYPE_MX_TO_NP = {-1: None} | {row.mxnet_code: dtype_of(code) for code, row in enumerate(TYPES)}
_DTYPE_NP_TO_MX = {dtype: code for code, dtype in _DTYPE_MX_TO_NP.items()}
_GRAD_REQ_MAP = {"null": 0, "write": 1, "add": 3}
_STORAGE_TYPE_ID_TO_STR = {-1: "undefined", **dict(enumerate(STORAGE_TYPES))}
_STORAGE_TYPE_STR_TO_ID = {name: code for code, name in _STORAGE_TYPE_ID_TO_STR.items()}
_STORAGE_TYPE_UNDEFINED = -1
_STORAGE_TYPE_DEFAULT = 0
_STORAGE_TYPE_ROW_SPARSE = 1
_STORAGE_TYPE_CSR = 2
