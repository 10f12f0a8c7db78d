"""`Block`, `HybridBlock` and `SymbolBlock`, in the module where MXNet has them."""

from ..base.mxnet_names import add_mxnet_names as _add_mxnet_names
from .base_block import Block as Block
from .hybrid_block import HybridBlock as HybridBlock
from .symbol_block import SymbolBlock as SymbolBlock

__all__ = ["Block", "HybridBlock", "SymbolBlock"]

_add_mxnet_names(__name__)
