"""MXNet's module of blocks."""

from opforge import gluon
from opforge.gluon import block


def test_it_has_every_block_as_in_mxnet():
    assert block.Block is gluon.Block
    assert block.HybridBlock is gluon.HybridBlock
    assert block.SymbolBlock is gluon.SymbolBlock
