"""Layer 0: errors, element types, devices and configuration. Imports nothing above itself.

The module is MXNet's `base` too: names that only its programs want load when they are asked for.
"""

from typing import Any as _Any

from .errors import MXNetError as MXNetError
from .errors import NotImplementedForSymbol as NotImplementedForSymbol
from .errors import OperatorError as OperatorError
from .errors import OpforgeError as OpforgeError

__all__ = ["MXNetError", "NotImplementedForSymbol", "OperatorError", "OpforgeError"]

# Name of MXNet's -> module that has it, and the name there.
_LAZY = {
    name: ("value_kinds", name)
    for name in ("integer_types", "mx_real_t", "numeric_types", "string_types")
} | {
    name: ("c_library", name)
    for name in (
        "ExecutorHandle",
        "KVStoreHandle",
        "NDArrayHandle",
        "SymbolHandle",
        "c_array",
        "c_str",
        "c_str_array",
        "check_call",
        "mx_float",
        "mx_int",
        "mx_uint",
        "py_str",
    )
}
_LAZY |= {name: ("data_folder", name) for name in ("data_dir", "data_dir_default")}
_LAZY |= {name: ("errors", name) for name in ("NotSupportedForSparseNDArray",)}
_LAZY |= {"_LIB": ("c_library", "library"), "_as_list": ("value_kinds", "as_list")}


def __getattr__(name: str) -> _Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, inner = _LAZY[name]
    value = getattr(import_module(f"{__name__}.{module}"), inner)
    globals()[name] = value
    return value
