"""`Block`, `HybridBlock` and `SymbolBlock`, in the module where MXNet has them."""

from .base_block import Block as Block
from .hybrid_block import HybridBlock as HybridBlock
from .symbol_block import SymbolBlock as SymbolBlock

__all__ = ["Block", "HybridBlock", "SymbolBlock"]
