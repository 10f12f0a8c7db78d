"""Data iterators: batches of arrays, with the names and shapes that a `Module` binds.

`NDArrayIter` reads arrays in memory.
`DataIter` is the base class of custom iterators, `BatchIter` of those that build complete batches.
Plugins add iterators over files and around other iterators.
"""

from ..base.module_aliases import add_aliases as _add_aliases
from ..op.registry.modules import plugin_attributes as _plugin_attributes
from .batch import DataBatch as DataBatch
from .batch import DataDesc as DataDesc
from .iterator import BatchIter as BatchIter
from .iterator import DataIter as DataIter
from .ndarray_iter import NDArrayIter as NDArrayIter

__all__ = [
    "BatchIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "NDArrayIter",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "iterator", __all__)

_add_aliases(__name__)
