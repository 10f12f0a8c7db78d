"""Plugins: discovered by entry points, loaded on first use of one of their contributions.

Importing this package installs the registry's resolver for missing names. It reads no metadata and
imports neither pluggy nor any plugin.
"""

from ..base.context import set_device_finder as _set_device_finder
from ..op.registry.table import set_resolver as _set_resolver
from .discovery import Provider as Provider
from .preferring import prefer as prefer
from .resolver import RESOLVER as RESOLVER
from .resolver import PluginState as PluginState
from .resolver import load_all as load_all
from .resolver import refresh as refresh
from .resolver import states as states

__all__ = ["RESOLVER", "PluginState", "Provider", "load_all", "prefer", "refresh", "states"]


def _find_device(name: str) -> None:
    """Load the device of a name, if a plugin provides it."""
    from ..op.abi import devices, placement
    from ..op.calling.binding import set_placement

    set_placement(placement)
    devices.find_device(name)


_set_resolver(RESOLVER)
_set_device_finder(_find_device)
