"""Data loading: datasets, samplers, batching and the loader; a plugin adds `vision`."""

from ...base.module_aliases import add_aliases as _add_aliases
from ...op.registry.modules import plugin_attributes as _plugin_attributes
from . import batchify as batchify
from .dataloader import DataLoader as DataLoader
from .dataloader import LoaderTimeoutError as LoaderTimeoutError
from .dataset import ArrayDataset as ArrayDataset
from .dataset import Dataset as Dataset
from .dataset import SimpleDataset as SimpleDataset
from .dataset import random_split as random_split
from .sampler import BatchSampler as BatchSampler
from .sampler import FilterSampler as FilterSampler
from .sampler import RandomSampler as RandomSampler
from .sampler import Sampler as Sampler
from .sampler import SequentialSampler as SequentialSampler

__all__ = [
    "ArrayDataset",
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "FilterSampler",
    "LoaderTimeoutError",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SimpleDataset",
    "batchify",
    "random_split",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "dataset", __all__)

_add_aliases(__name__)
