"""Operator scaled_tanh, implemented in C."""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators():
    """Return the declaration of the operator."""
    from .operators import ScaledTanh

    return [ScaledTanh]
