"""Additional names that a star import of MXNet's `test_utils` provides.

Programs use ``mx``, ``np`` or ``sys`` from it without importing them. Each is imported on first
access; only a star import accesses all of them.
"""

import importlib
import importlib.util
import sys
from typing import Any

__all__ = ["brought", "names"]

_PACKAGE = "opforge"

#: Name -> module, or module and attribute; modules of opforge start with a dot.
_BROUGHT: dict[str, str] = {
    "Context": ".base.context:Context",
    "Features": ".runtime:Features",
    "OrderedDict": "collections:OrderedDict",
    "Symbol": ".symbol:Symbol",
    "array": ".ndarray:array",
    "bz2": "bz2",
    "contextmanager": "contextlib:contextmanager",
    "current_context": ".base.context:current_context",
    "errno": "errno",
    "get_cuda_compute_capability": ".util:get_cuda_compute_capability",
    "getenv": ".util:getenv",
    "gzip": "gzip",
    "json": "json",
    "logging": "logging",
    "mx": _PACKAGE,
    "np": "numpy",
    "npt": "numpy.testing",
    "numbers": "numbers",
    "os": "os",
    "platform": "platform",
    "requests": "requests",
    "rnd": "numpy.random",
    "setenv": ".util:setenv",
    "ss": "scipy.stats",
    "struct": "struct",
    "sys": "sys",
    "time": "time",
    "traceback": "traceback",
    "use_np": ".util:use_np",
    "zipfile": "zipfile",
}
_OPTIONAL = {"requests": "requests", "ss": "scipy"}
#: Modules that take longer to import than all others; they are executed on first use.
_SLOW = frozenset({"requests", "scipy.stats"})


def names() -> list[str]:
    """Return the names that a star import provides, without modules that are not installed."""
    absent = {name for name, top in _OPTIONAL.items() if importlib.util.find_spec(top) is None}
    return [name for name in _BROUGHT if name not in absent]


def brought(module: str, name: str) -> Any:
    """Return the object that a star import of `module` provides as `name`.

    Raises
    ------
    AttributeError
        The star import does not provide the name.
    """
    if name not in _BROUGHT:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    origin, _, attribute = _BROUGHT[name].partition(":")
    found = _import_on_use(origin) if origin in _SLOW else importlib.import_module(origin, _PACKAGE)
    return getattr(found, attribute) if attribute else found


def _import_on_use(name: str) -> Any:
    """Return a module that is executed on first use."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
