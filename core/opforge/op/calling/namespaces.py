"""Sub-namespaces of `nd` and `sym`, such as ``contrib``, with MXNet's names of operators."""

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from ...base.module_aliases import add_aliases
from .functions import SubNamespace

__all__ = ["make_common_namespaces", "make_namespace"]


def make_namespace(
    parent: str,
    name: str,
    doc: str,
    *prefixes: str,
    functions: Iterable[Callable[..., Any]] = (),
) -> ModuleType:
    """Create and register the module ``parent.name``, with additional `functions`."""
    # Not a subclass of ModuleType: Python caches attribute lookups only for plain modules.
    module = ModuleType(f"{parent}.{name}", doc)
    attributes = vars(module)
    attributes.update({function.__name__: function for function in functions})
    operators = SubNamespace(attributes, prefixes, lambda: sys.modules[parent])
    attributes["__getattr__"] = operators.attribute
    attributes["__dir__"] = lambda: sorted({*attributes, *operators.names()})
    attributes["__path__"] = []  # `from parent.name import x` asks the finders about x
    sys.modules[module.__name__] = module
    add_aliases(module.__name__)
    return module


def make_common_namespaces(
    parent: str, control_flow: Iterable[Callable[..., Any]]
) -> tuple[ModuleType, ...]:
    """Make the sub-namespaces that `nd` and `sym` share.

    Parameters
    ----------
    parent : str
        Full name of the module that has all operators.
    control_flow : iterable of callable
        Functions of ``contrib`` that are not single operators.

    Returns
    -------
    tuple of module
        ``op``, ``_internal``, ``contrib``, ``image`` and ``linalg``.
    """
    return (
        make_namespace(parent, "op", "All operators.", ""),
        make_namespace(parent, "_internal", "Operators whose names begin with _.", ""),
        make_namespace(
            parent,
            "contrib",
            "Control flow, and operators named _contrib_x, as x.",
            "_contrib_",
            "",
            functions=control_flow,
        ),
        make_namespace(parent, "image", "Operators named _image_x, as x.", "_image_"),
        make_namespace(parent, "linalg", "Operators named _linalg_x, as x.", "_linalg_"),
    )
