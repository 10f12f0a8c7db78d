"""Layers of MXNet's ``gluon.contrib.cnn``; includes those of plugins."""

from opforge.op.registry.modules import plugin_attributes as _plugin_attributes

from ...names import add_names as _add_names

__all__: list[str] = []

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)

_add_names(__name__)
