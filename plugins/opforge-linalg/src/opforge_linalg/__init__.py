"""Linear algebra by MXNet's names: products, factors, inverses, determinants, diagonals, triangles.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import cholesky, factors, inverses, layouts, products, triangles

    modules = (products, triangles, cholesky, factors, inverses, layouts)
    return [operator for module in modules for operator in module.OPERATORS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
