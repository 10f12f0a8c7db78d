"""Containers, and every layer that an installed plugin provides.

`Dense` and the other layers are looked up when they are first used; `dir()` lists what is
installed.
"""

from ...op.registry.modules import plugin_attributes as _plugin_attributes
from ..block import Block as Block
from ..hybrid_block import HybridBlock as HybridBlock
from .functional import HybridLambda as HybridLambda
from .functional import Lambda as Lambda
from .sequential import HybridSequential as HybridSequential
from .sequential import Sequential as Sequential

__all__ = ["Block", "HybridBlock", "HybridLambda", "HybridSequential", "Lambda", "Sequential"]

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)
