"""Recurrent layers and cells; they come from plugins, as those of `gluon.nn` do."""

from ..base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ..op.registry.modules import plugin_attributes as _plugin_attributes

__all__: list[str] = []

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)

_add_mxnet_names(__name__)
