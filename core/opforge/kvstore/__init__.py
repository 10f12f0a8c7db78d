"""Key-value stores: where gradients of several workers are summed.

Gradients of several contexts of one process are summed by `gluon.Trainer` and `Module` themselves.
Stores that reach other processes are brought by plugins and made by `create`; `KVStoreBase` is what
they derive from.
"""

from .base import KVStoreBase as KVStoreBase
from .base import create as create
from .base import store_of as store_of

__all__ = ["KVStoreBase", "create", "store_of"]
