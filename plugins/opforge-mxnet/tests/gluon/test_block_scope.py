from types import SimpleNamespace

import pytest

from opforge import gluon, sym
from opforge.gluon.block import _BlockScope


def test_blocks_and_symbols_get_the_prefix():
    net = gluon.nn.HybridSequential(prefix="net_")
    with _BlockScope(net):
        assert gluon.nn.HybridSequential().prefix == "net_hybridsequential0_"
        assert sym.exp(sym.var("x")).name == "net_exp0"
    prefix, params = _BlockScope.create("own_", None, "hint")
    assert prefix == params.prefix == "own_"


@pytest.mark.parametrize("block", [None, SimpleNamespace(prefix="net_", _empty_prefix=True)])
def test_a_block_without_a_prefix_changes_nothing(block):
    with _BlockScope(block):
        assert gluon.nn.HybridSequential(prefix="own_").prefix == "own_"


def test_an_object_with_only_a_prefix_names_symbols():
    with _BlockScope(SimpleNamespace(prefix="net_")):
        assert sym.exp(sym.var("x")).name == "net_exp0"
