"""Operators of MXNet that only some programs need.

A plugin of opforge; nothing is imported before one of its names is used.
"""

from collections.abc import Mapping

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


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
