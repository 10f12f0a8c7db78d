"""The API that plugins may import from opforge.

Names are stable: new ones may be added, but none is removed or changed without a new major version.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .base.dtypes import element_type as element_type
from .base.errors import AttributeValueError as AttributeValueError
from .base.errors import DTypeError as DTypeError
from .base.errors import OpforgeError as OpforgeError
from .base.errors import ProgramMissingError as ProgramMissingError
from .base.errors import ShapeError as ShapeError
from .base.errors import UnknownShapeError as UnknownShapeError
from .op.declaring import layouts as layouts
from .op.declaring.attribute import REQUIRED as REQUIRED
from .op.declaring.attribute import Attribute as Attribute
from .op.declaring.attribute import DType as DType
from .op.declaring.attribute import Floats as Floats
from .op.declaring.attribute import OptionalInts as OptionalInts
from .op.declaring.attribute import Shape as Shape
from .op.declaring.custom import CustomOp as CustomOp
from .op.declaring.custom import CustomOpProp as CustomOpProp
from .op.declaring.declaration import OperatorProp as OperatorProp
from .op.declaring.floating import Floating as Floating
from .op.registry.kinds import KINDS as _KINDS

if _TYPE_CHECKING:
    from . import autograd as autograd
    from . import checkpoint as checkpoint
    from . import context as context
    from . import engine as engine
    from . import gluon as gluon
    from . import initializer as initializer
    from . import metric as metric
    from . import ndarray as _nd
    from . import optimizer as optimizer
    from . import symbol as _sym
    from .base import files as files
    from .base import numpy_semantics as numpy_semantics
    from .base import unpacking as unpacking
    from .base.module_aliases import MissingName as MissingName
    from .base.module_aliases import add_aliases as add_aliases
    from .exporter import Exporter as Exporter
    from .gluon import Block as Block
    from .gluon import HybridBlock as HybridBlock
    from .gluon import Trainer as Trainer
    from .gluon import data as data
    from .gluon import downloading as downloading
    from .gluon import nn as nn
    from .gluon.data import Dataset as Dataset
    from .gluon.loss import Loss as Loss
    from .gluon.model_zoo.model_store import get_model_file as _model_file
    from .initializer import Initializer as Initializer
    from .io import BatchIter as BatchIter
    from .io import DataBatch as DataBatch
    from .io import DataDesc as DataDesc
    from .io import DataIter as DataIter
    from .io import NDArrayIter as NDArrayIter
    from .kvstore import KVStore as KVStore
    from .kvstore import KVStoreBase as KVStoreBase
    from .kvstore import ranks as ranks
    from .lr_scheduler import LRScheduler as LRScheduler
    from .metric import EvalMetric as EvalMetric
    from .ndarray import array_classes as array_classes
    from .op import abi as _abi
    from .op import rules as rules
    from .op.calling.functions import RenamedOperators as RenamedOperators
    from .op.declaring.gradients import needs_gradient as needs_gradient
    from .op.registry.modules import plugin_attributes as plugin_attributes
    from .optimizer import Optimizer as Optimizer
    from .optimizer.fused import FusedOptimizer as FusedOptimizer
    from .plugin.hookspecs import hookimpl as hookimpl
    from .profiler.measurement import Measurement as Measurement
    from .profiler.timing import timed as timed
    from .subgraph import SubgraphBackend as SubgraphBackend
    from .symbol.expansion import expanded as expanded

    F, sym, native, model_file = _nd, _sym, _abi, _model_file
    benchmarks: _Any  # of opforge-tools

# Loaded on first use: an operator needs no layers, and a layer no kernels.
_LAZY = {
    "Block": ("gluon", "Block"),
    "F": ("ndarray", None),
    "FusedOptimizer": ("optimizer.fused", "FusedOptimizer"),
    "HybridBlock": ("gluon", "HybridBlock"),
    "KVStore": ("kvstore", "KVStore"),
    "Measurement": ("profiler.measurement", "Measurement"),
    "MissingName": ("base.module_aliases", "MissingName"),
    "RenamedOperators": ("op.calling.functions", "RenamedOperators"),
    "Trainer": ("gluon", "Trainer"),
    "add_aliases": ("base.module_aliases", "add_aliases"),
    "array_classes": ("ndarray.array_classes", None),
    "benchmarks": ("benchmarks.plugin_cases", None),
    "data": ("gluon.data", None),
    "expanded": ("symbol.expansion", "expanded"),
    "downloading": ("gluon.downloading", None),
    "hookimpl": ("plugin.hookspecs", "hookimpl"),
    "kernels": ("native.calls", None),
    "native": ("op.abi", None),
    "model_file": ("gluon.model_zoo.model_store", "get_model_file"),
    "needs_gradient": ("op.declaring.gradients", "needs_gradient"),
    "nn": ("gluon.nn", None),
    "nnvm": ("op.nnvm", None),
    "optimizer": ("optimizer", None),
    "plugin_attributes": ("op.registry.modules", "plugin_attributes"),
    "ranks": ("kvstore.ranks", None),
    "rules": ("op.rules", None),
    "sym": ("symbol", None),
    "timed": ("profiler.timing", "timed"),
}
_MODULES = ("autograd", "checkpoint", "context", "engine", "gluon", "initializer", "metric")
_LAZY.update({name: (name, None) for name in _MODULES})
_LAZY.update({n: (f"base.{n}", None) for n in ("files", "numpy_semantics", "unpacking")})
_LAZY.update({n: ("io", n) for n in ("BatchIter", "DataBatch", "DataDesc", "NDArrayIter")})
# Base class of each kind of contribution.
_BASES = (kind.base.removeprefix("opforge.").split(":") for kind in _KINDS.values() if kind.base)
_LAZY.update({name: (module, name) for module, name in _BASES})


def __getattr__(name: str) -> _Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LAZY[name]
    value = _importlib.import_module(f"{__package__}.{module}")
    globals()[name] = value = getattr(value, attribute) if attribute else value
    return value
