"""Layer 4: the `nd` namespace, NDArray and every operator as a function.

Functions of operators are created on first use, including those of plugins: a plugin is imported
when one of its operators is used. No operators are listed here.
"""

import sys as _sys
from functools import partial as _partial
from typing import Any

from .. import plugin as _plugin  # noqa: F401 - tells the registry where to find providers
from .. import std as _std
from ..native.dispatch.elementwise import set_namespace as _set_namespace
from ..native.dispatch.invoking import invoke as _invoke
from ..op.calling.binding import make_handle as _make_handle
from ..op.calling.custom_call import Custom as Custom
from ..op.calling.functions import Functions as _Functions
from ..op.calling.functions import not_found as _not_found
from ..op.calling.namespaces import make_common_namespaces as _make_common_namespaces
from ..op.calling.signature import make_function as _make_function
from ..op.registry.entry import CORE as _CORE
from ..op.registry.entry import Entry as _Entry
from ..op.registry.registry import lookup as _lookup
from ..op.registry.registry import names as _names
from . import creation as _creation
from . import functions as _functions
from .control import cond as _cond
from .control import foreach as _foreach
from .control import while_loop as _while_loop
from .creation import *  # noqa: F403
from .functions import *  # noqa: F403
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

op, _internal, contrib, image, linalg = _make_common_namespaces(
    __name__, (_cond, _foreach, _while_loop)
)

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
    "contrib",
    "image",
    "linalg",
    "op",
    *_LAZY,
]
__all__ += _creation.__all__
__all__ += _functions.__all__


def _load(name: str) -> Any:
    from importlib import import_module

    module, attribute = _LAZY[name]
    loaded = import_module(f"{__name__}.{module}")
    return loaded if attribute is None else getattr(loaded, attribute)


def _make(entry: _Entry) -> Any:
    """Return the function of an operator.

    Its attribute `direct` takes a tuple of arrays and a tuple with the value of every attribute,
    without another Python frame.
    """
    handle = _HANDLES.get(entry) or _make_handle(entry)
    function: Any = _make_function(entry, _invoke, handle)
    function.direct = _partial(_invoke, handle)
    return function


_FUNCTIONS = _Functions(globals(), _make)
_MISSING = _FUNCTIONS.missing


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        raise _not_found(name)
    if name in _LAZY:
        value = globals()[name] = _load(name)
        return value
    return _FUNCTIONS.attribute(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_names()})
