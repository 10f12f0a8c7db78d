"""Recurrent layers and cells, which plugins provide like those of `gluon.nn`."""

from ...base.module_aliases import add_aliases as _add_aliases
from ...op.registry.modules import plugin_attributes as _plugin_attributes

__all__: list[str] = []

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)

_add_aliases(__name__)
