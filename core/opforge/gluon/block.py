"""`Block`, `HybridBlock` and `SymbolBlock` under MXNet's module name."""

from ..base.module_aliases import add_aliases as _add_aliases
from .base_block import Block as Block
from .hybrid_block import HybridBlock as HybridBlock
from .symbol_block import SymbolBlock as SymbolBlock

__all__ = ["Block", "HybridBlock", "SymbolBlock"]

_add_aliases(__name__)
