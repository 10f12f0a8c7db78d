"""Data iterators: batches of arrays, with the names and shapes that a `Module` binds.

`NDArrayIter` reads arrays in memory, `CSVIter` and `LibSVMIter` text files, `MNISTIter` the IDX
format; `ResizeIter` and `PrefetchingIter` change another iterator. `DataIter` is the base of one's
own, `BatchIter` of those that make whole batches.
"""

from ..base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ..op.registry.modules import plugin_attributes as _plugin_attributes
from .batch import DataBatch as DataBatch
from .batch import DataDesc as DataDesc
from .csv_iter import CSVIter as CSVIter
from .iterator import BatchIter as BatchIter
from .iterator import DataIter as DataIter
from .libsvm_iter import LibSVMIter as LibSVMIter
from .mnist_iter import MNISTIter as MNISTIter
from .ndarray_iter import NDArrayIter as NDArrayIter
from .prefetching_iter import PrefetchingIter as PrefetchingIter
from .resize_iter import ResizeIter as ResizeIter

__all__ = [
    "BatchIter",
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "LibSVMIter",
    "MNISTIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "iterator", __all__)

_add_mxnet_names(__name__)
