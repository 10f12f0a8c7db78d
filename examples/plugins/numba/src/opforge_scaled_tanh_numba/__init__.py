"""Operator scaled_tanh, compiled by Numba."""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators():
    """Return the declaration of the operator."""
    from .operators import ScaledTanh

    return [ScaledTanh]
