"""Layer 4: the `nd` namespace, NDArray and every operator as a function.

Functions of operators are made when they are first used, those of plugins included: a plugin is
imported when one of its operators is. Nothing here lists operators.
"""

import sys as _sys
from typing import Any

from .. import plugin as _plugin  # noqa: F401 - tells the registry where to find providers
from .. import std as _std
from ..base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ..native.dispatch.elementwise import set_namespace as _set_namespace
from ..native.dispatch.invoking import invoke as _invoke
from ..op.calling.binding import make_handle as _make_handle
from ..op.calling.custom_call import Custom as Custom
from ..op.calling.functions import Functions as _Functions
from ..op.calling.functions import not_found as _not_found
from ..op.calling.namespaces import make_namespace as _make_namespace
from ..op.calling.signature import make_function as _make_function
from ..op.registry.entry import CORE as _CORE
from ..op.registry.entry import Entry as _Entry
from ..op.registry.registry import lookup as _lookup
from ..op.registry.registry import names as _names
from .control import cond as _cond
from .control import foreach as _foreach
from .control import while_loop as _while_loop
from .creation import arange as arange
from .creation import array as array
from .creation import empty as empty
from .creation import eye as eye
from .creation import from_dlpack as from_dlpack
from .creation import from_numpy as from_numpy
from .creation import full as full
from .creation import linspace as linspace
from .creation import ones as ones
from .creation import to_dlpack_for_read as to_dlpack_for_read
from .creation import to_dlpack_for_write as to_dlpack_for_write
from .creation import zeros as zeros
from .functions import add as add
from .functions import concatenate as concatenate
from .functions import divide as divide
from .functions import einsum as einsum
from .functions import equal as equal
from .functions import greater as greater
from .functions import greater_equal as greater_equal
from .functions import hypot as hypot
from .functions import lesser as lesser
from .functions import lesser_equal as lesser_equal
from .functions import logical_and as logical_and
from .functions import logical_or as logical_or
from .functions import logical_xor as logical_xor
from .functions import maximum as maximum
from .functions import minimum as minimum
from .functions import modulo as modulo
from .functions import moveaxis as moveaxis
from .functions import multiply as multiply
from .functions import not_equal as not_equal
from .functions import onehot_encode as onehot_encode
from .functions import power as power
from .functions import reset_arrays as reset_arrays
from .functions import subtract as subtract
from .functions import true_divide as true_divide
from .functions import waitall as waitall
from .ndarray import NDArray as NDArray

# The rules of elementwise kernels come with their handles, and the arithmetic of NDArray needs
# them before any function of the same name is used.
_std.register()
_HANDLES = {
    _entry: _make_handle(_entry)
    for _entry in (
        _lookup(f"{_CORE}::{row.name}") for row in _std.ROWS if row.elementwise_kernel is not None
    )
}
_set_namespace(_sys.modules[__name__])

op = _make_namespace(__name__, "op", "All operators.", "")
_internal = _make_namespace(__name__, "_internal", "Operators whose names begin with _.", "")
contrib = _make_namespace(
    __name__,
    "contrib",
    "Control flow, and operators named _contrib_x, as x.",
    "_contrib_",
    "",
    functions=(_cond, _foreach, _while_loop),
)
image = _make_namespace(__name__, "image", "Operators named _image_x, as x.", "_image_")
linalg = _make_namespace(__name__, "linalg", "Operators named _linalg_x, as x.", "_linalg_")

# Public name -> (submodule, attribute; None: the submodule).
_LAZY = {
    "cast_storage": ("sparse.casting", "cast_storage"),
    "exponential": ("random", "random_exponential"),
    "load": ("serialization", "load"),
    "load_frombuffer": ("serialization", "load_frombuffer"),
    "normal": ("random", "normal"),
    "poisson": ("random", "poisson"),
    "random": ("random", None),
    "random_exponential": ("random", "random_exponential"),
    "random_gamma": ("random", "gamma"),
    "random_normal": ("random", "normal"),
    "random_poisson": ("random", "poisson"),
    "random_randint": ("random", "randint"),
    "random_uniform": ("random", "uniform"),
    "save": ("serialization", "save"),
    "shuffle": ("random", "shuffle"),
    "sparse": ("sparse", None),
    "uniform": ("random", "uniform"),
}

__all__ = [
    "Custom",
    "NDArray",
    "add",
    "arange",
    "array",
    "concatenate",
    "contrib",
    "divide",
    "einsum",
    "empty",
    "equal",
    "eye",
    "from_dlpack",
    "from_numpy",
    "full",
    "greater",
    "greater_equal",
    "hypot",
    "image",
    "lesser",
    "lesser_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "moveaxis",
    "multiply",
    "not_equal",
    "onehot_encode",
    "ones",
    "op",
    "power",
    "reset_arrays",
    "subtract",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "true_divide",
    "waitall",
    "zeros",
    *_LAZY,
]


def _load(name: str) -> Any:
    from importlib import import_module

    module, attribute = _LAZY[name]
    loaded = import_module(f"{__name__}.{module}")
    return loaded if attribute is None else getattr(loaded, attribute)


def _make(entry: _Entry) -> Any:
    return _make_function(entry, _invoke, _HANDLES.get(entry) or _make_handle(entry))


_FUNCTIONS = _Functions(globals(), _make)
_MISSING = _FUNCTIONS.missing


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        raise _not_found(name)
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _LAZY:
        return _FUNCTIONS.get(name)
    value = globals()[name] = _load(name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_names()})


_add_mxnet_names(__name__)
