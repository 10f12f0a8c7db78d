"""Key-value stores, which combine the copies of a parameter on several devices and workers.

A `KVStore` of this process sums the pushed arrays and returns the sum, or the array that an
optimizer updated with it, on pull. Plugins provide stores that reach other processes;
`KVStoreBase` is their base class.
"""

from ..base.module_aliases import add_aliases as _add_aliases
from .base import KVStoreBase as KVStoreBase
from .factory import create as create
from .local import KVStore as KVStore

__all__ = ["KVStore", "KVStoreBase", "create"]

_add_aliases(__name__)
