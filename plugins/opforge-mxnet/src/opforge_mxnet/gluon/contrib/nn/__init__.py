"""Layers of MXNet's ``gluon.contrib.nn``: opforge's own, and those of plugins."""

from opforge.gluon.nn.concurrent import Concurrent as Concurrent
from opforge.gluon.nn.concurrent import HybridConcurrent as HybridConcurrent
from opforge.gluon.nn.concurrent import Identity as Identity
from opforge.op.registry.modules import plugin_attributes as _plugin_attributes

from ....names import add_names as _add_names

__all__ = ["Concurrent", "HybridConcurrent", "Identity"]

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)

_add_names(__name__)
