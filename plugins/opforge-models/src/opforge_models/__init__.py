"""The networks of MXNet's model zoo for pictures."""

from typing import Any

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_things() -> Any:
    """Hand over the networks, their blocks and what makes them."""
    from .catalogue import MODELS

    return {"model": MODELS}
