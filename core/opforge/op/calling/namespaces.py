"""Sub-namespaces of `nd` and `sym`: other doors to the same operators, as MXNet has them."""

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from .functions import SubNamespace

__all__ = ["make_namespace"]


def make_namespace(
    parent: str,
    name: str,
    doc: str,
    *prefixes: str,
    functions: Iterable[Callable[..., Any]] = (),
) -> ModuleType:
    """Make and register the module ``parent.name``, which has `functions` as well."""
    # No class of modules: Python caches the attributes of plain modules where they are used.
    module = ModuleType(f"{parent}.{name}", doc)
    attributes = vars(module)
    attributes.update({function.__name__: function for function in functions})
    operators = SubNamespace(attributes, prefixes, lambda: sys.modules[parent])
    attributes["__getattr__"] = operators.attribute
    sys.modules[module.__name__] = module
    return module
