"""opforge: a plugin-based operator ecosystem for deep learning.

The API is MXNet 1.x's: ``import opforge as mx`` serves a program that was written for it. Modules
load when they are first used; importing the package loads no plugin. Plugins provide modules too,
``opforge.image`` for instance.
"""

import importlib as _importlib
import sys as _sys
from typing import Any as _Any

from .base.context import Context as Context
from .base.context import cpu as cpu
from .base.context import cpu_pinned as cpu_pinned
from .base.context import current_context as current_context
from .base.context import gpu as gpu
from .base.context import num_gpus as num_gpus
from .base.errors import MXNetError as MXNetError
from .base.errors import OperatorError as OperatorError
from .base.errors import OpforgeError as OpforgeError
from .base.foreign_modules import ForeignModules as _ForeignModules
from .base.version import VERSION as _VERSION

__version__ = _VERSION

# Public module -> the module that it is.
_MODULES = {
    "attribute": "attribute",
    "autograd": "autograd",
    "base": "base",
    "checkpoint": "checkpoint",
    "context": "context",
    "engine": "engine",
    "error": "error",
    "executor": "executor",
    "exporter": "exporter",
    "gluon": "gluon",
    "init": "initializer",
    "initializer": "initializer",
    "io": "io",
    "kv": "kvstore",
    "kvstore": "kvstore",
    "lr_scheduler": "lr_scheduler",
    "metric": "metric",
    "name": "name",
    "nd": "ndarray",
    "ndarray": "ndarray",
    "operator": "operator",
    "optimizer": "optimizer",
    "plugin_api": "plugin_api",
    "profiler": "profiler",
    "random": "random",
    "rnd": "random",
    "subgraph": "subgraph",
    "sym": "symbol",
    "symbol": "symbol",
    "typing": "typing",
}

# Public function or class -> (module, attribute).
_NAMES = {
    "AttrScope": ("attribute", "AttrScope"),
    "NDArray": ("ndarray", "NDArray"),
    "Symbol": ("symbol", "Symbol"),
    "get_include": ("base.include", "get_include"),
    "get_num_threads": ("engine", "get_num_threads"),
    "is_np_array": ("base.numpy_semantics", "is_np_array"),
    "is_np_shape": ("base.numpy_semantics", "is_np_shape"),
    "memory_stats": ("native.memory.buffer", "memory_stats"),
    "np_array": ("base.numpy_semantics", "np_array"),
    "np_shape": ("base.numpy_semantics", "np_shape"),
    "prefer": ("plugin", "prefer"),
    "refresh": ("plugin", "refresh"),
    "release_pool": ("native.memory.buffer", "release_pool"),
    "set_np_shape": ("base.numpy_semantics", "set_np_shape"),
    "set_num_threads": ("engine", "set_num_threads"),
    "waitall": ("ndarray", "waitall"),
}

__all__ = [
    "Context",
    "MXNetError",
    "OperatorError",
    "OpforgeError",
    "cpu",
    "cpu_pinned",
    "current_context",
    "gpu",
    "num_gpus",
    *_MODULES,
    *_NAMES,
]


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        value: _Any = _importlib.import_module(f"{__name__}.{_MODULES[name]}")
    elif name in _NAMES:
        module, attribute = _NAMES[name]
        value = getattr(_importlib.import_module(f"{__name__}.{module}"), attribute)
    elif _FOREIGN.is_foreign(name):
        # Cached there: who provides it may change, as for operators.
        return _plugins_modules().plugin_attribute(name)
    else:  # a part of the package, which `from opforge import ...` goes on to import
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_plugins_modules().module_names()})


def _plugins_modules() -> _Any:
    return _importlib.import_module(f"{__name__}.plugin.modules")


_FOREIGN = _ForeignModules(__name__, __path__, lambda name: _plugins_modules().find_module(name))
_sys.meta_path.insert(0, _FOREIGN)
