"""Optimizers that only some programs need, and update operators for loops that call them.

A plugin of opforge; nothing is imported before one of its names is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of the update operators."""
    from .operators import DECLARATIONS

    return DECLARATIONS


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the optimizers by name."""
    from .optimizers import OPTIMIZERS

    return {"optimizer": {kind.__name__: kind for kind in OPTIMIZERS}}
