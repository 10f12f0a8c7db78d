"""Plugins: found by entry points, loaded when one of their operators is first used.

Importing this package tells the registry where to look for names that it does not have; it reads
no metadata, and imports neither pluggy nor any plugin.
"""

from ..op.registry.table import set_resolver as _set_resolver
from .discovery import Provider as Provider
from .preferring import prefer as prefer
from .resolver import RESOLVER as RESOLVER
from .resolver import PluginState as PluginState
from .resolver import load_all as load_all
from .resolver import refresh as refresh
from .resolver import states as states

__all__ = ["RESOLVER", "PluginState", "Provider", "load_all", "prefer", "refresh", "states"]

_set_resolver(RESOLVER)
