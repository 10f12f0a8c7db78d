"""Sub-namespaces of `nd` and `sym`: other doors to the same operators, as MXNet has them."""

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

__all__ = ["make_namespace"]


class _Namespace(ModuleType):
    """A module whose attributes are the operators whose names begin with one of its prefixes."""

    def __init__(self, name: str, doc: str, prefixes: tuple[str, ...]) -> None:
        super().__init__(name, doc)
        self._prefixes = prefixes

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        parent = sys.modules[self.__name__.rpartition(".")[0]]
        *rest, last = self._prefixes
        for prefix in rest:
            try:
                return getattr(parent, prefix + name)
            except AttributeError:
                continue
        return getattr(parent, last + name)


def make_namespace(
    parent: str,
    name: str,
    doc: str,
    *prefixes: str,
    functions: Iterable[Callable[..., Any]] = (),
) -> ModuleType:
    """Make and register the module ``parent.name``, which has `functions` as well."""
    module = _Namespace(f"{parent}.{name}", doc, prefixes)
    vars(module).update({function.__name__: function for function in functions})
    sys.modules[module.__name__] = module
    return module
