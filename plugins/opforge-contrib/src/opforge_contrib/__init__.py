"""Operators of MXNet that only some programs need.

A plugin of opforge; nothing is imported before one of its names is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of the operators."""
    from . import cumulative, densities, graphs, indices, products, splitting, statistics, svm

    modules = (cumulative, densities, graphs, indices, products, splitting, statistics, svm)
    return [operator for module in modules for operator in module.OPERATORS]
