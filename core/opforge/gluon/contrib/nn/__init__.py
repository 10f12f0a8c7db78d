"""Layers that MXNet keeps under ``gluon.contrib.nn``: opforge's own, and those of plugins."""

from ....base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ....op.registry.modules import plugin_attributes as _plugin_attributes
from ...nn.concurrent import Concurrent as Concurrent
from ...nn.concurrent import HybridConcurrent as HybridConcurrent
from ...nn.concurrent import Identity as Identity

__all__ = ["Concurrent", "HybridConcurrent", "Identity"]

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)

_add_mxnet_names(__name__)
