"""Cells that MXNet keeps under ``gluon.contrib.rnn``: all that plugins bring are here too."""

from ....base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ....op.registry.modules import plugin_attributes as _plugin_attributes
from . import rnn_cell as rnn_cell

__all__ = ["rnn_cell"]

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)

_add_mxnet_names(__name__)
