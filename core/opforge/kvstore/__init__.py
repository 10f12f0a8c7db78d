"""Key-value stores: where the copies of a parameter on several devices and workers meet.

A `KVStore` of this process sums what is pushed and hands it, or what an optimizer makes of it, to
whoever pulls. Stores that reach other processes are brought by plugins; `KVStoreBase` is what they
derive from.
"""

from ..base.mxnet_names import add_mxnet_names as _add_mxnet_names
from .base import KVStoreBase as KVStoreBase
from .creating import create as create
from .local import KVStore as KVStore
from .teststore import TestStore as _TestStore  # noqa: F401 - registers itself

__all__ = ["KVStore", "KVStoreBase", "create"]

_add_mxnet_names(__name__)
