"""Containers, and all layers that installed plugins provide.

`Dense` and other layers are looked up on first use; `dir()` lists the installed ones.
"""

from ...base.module_aliases import add_aliases as _add_aliases
from ...op.registry.modules import plugin_attributes as _plugin_attributes
from ..base_block import Block as Block
from ..hybrid_block import HybridBlock as HybridBlock
from ..symbol_block import SymbolBlock as SymbolBlock
from .concurrent import Concurrent as Concurrent
from .concurrent import HybridConcurrent as HybridConcurrent
from .concurrent import Identity as Identity
from .functional import Flatten as Flatten
from .functional import HybridLambda as HybridLambda
from .functional import Lambda as Lambda
from .sequential import HybridSequential as HybridSequential
from .sequential import Sequential as Sequential

__all__ = [
    "Block",
    "Concurrent",
    "Flatten",
    "HybridBlock",
    "HybridConcurrent",
    "HybridLambda",
    "HybridSequential",
    "Identity",
    "Lambda",
    "Sequential",
    "SymbolBlock",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "layer", __all__)

_add_aliases(__name__)
