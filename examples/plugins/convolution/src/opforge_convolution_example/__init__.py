"""The operator convolve, whose functions are C functions."""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators():
    """Hand over the operator."""
    from .operators import Convolve

    return [Convolve]
