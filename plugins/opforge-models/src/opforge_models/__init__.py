"""Vision networks of MXNet's model zoo."""

from typing import Any

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_contributions() -> Any:
    """Return the networks, their blocks and their constructors."""
    from .catalog import MODELS

    return {"model": MODELS}
