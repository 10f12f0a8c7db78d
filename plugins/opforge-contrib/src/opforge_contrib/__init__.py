"""Operators of MXNet that only some programs need.

A plugin of opforge; nothing is imported before one of its names is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of the operators."""
    from . import (
        calibration,
        cumulative,
        densities,
        fourier,
        graphs,
        hawkes,
        indices,
        products,
        sketches,
        sparsity,
        splitting,
        statistics,
        svm,
        zipfian,
    )

    modules = (
        calibration,
        cumulative,
        densities,
        fourier,
        graphs,
        hawkes,
        indices,
        products,
        sketches,
        sparsity,
        splitting,
        statistics,
        svm,
        zipfian,
    )
    return [operator for module in modules for operator in module.OPERATORS]
