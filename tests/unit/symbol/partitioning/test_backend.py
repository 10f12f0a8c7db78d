"""The registry of subgraph backends and the defaults of their base class."""

import pytest

from opforge import subgraph, sym
from opforge.base.errors import OpforgeError
from opforge.symbol.partitioning import backend


@pytest.fixture
def registered():
    @subgraph.register
    class Halving(subgraph.SubgraphBackend):
        def __init__(self, steps=1):
            self.steps = steps

    yield Halving
    backend._registry._own.pop("halving")


def test_backends_are_created_by_name_with_options(registered):
    assert "halving" in subgraph.names()
    assert type(subgraph.create("Halving")) is registered
    assert subgraph.create("halving", steps=3).steps == 3
    assert subgraph.create(registered, steps=2).steps == 2
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        subgraph.create("halving", depth=1)


def test_an_unknown_name_lists_the_known_ones(registered):
    with pytest.raises(OpforgeError, match=r"Cannot find backend halvin.*Did you mean 'halving'"):
        subgraph.create("halvin")
    with pytest.raises(OpforgeError, match=r"Registered: .*halving"):
        sym.var("x").get_backend_symbol("other")


def test_other_objects_are_rejected():
    with pytest.raises(TypeError, match="backend must be a name or an instance"):
        subgraph.create(3)
    with pytest.raises(TypeError, match="can only register subclasses of SubgraphBackend"):
        subgraph.register(dict)


def test_a_backend_without_methods_changes_nothing():
    net = sym.exp(sym.var("x"), name="y")
    same = net.optimize_for(subgraph.SubgraphBackend())
    assert same is not net
    assert same.tojson() == net.tojson()


def test_replace_must_be_defined():
    class Selecting(subgraph.SubgraphBackend):
        def supports(self, node):
            return True

    with pytest.raises(NotImplementedError, match=r"Selecting must define replace\(\)"):
        sym.exp(sym.var("x")).optimize_for(Selecting)
