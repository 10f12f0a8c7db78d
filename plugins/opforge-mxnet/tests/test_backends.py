"""Subgraph backends with MXNet's names."""

import pytest
from opforge_mxnet.backends import UnchangedGraph

from opforge import nd, subgraph, sym

BACKENDS = ("MKLDNN", "MKLDNN_QUANTIZE", "default", "default_v2")


@pytest.mark.parametrize("name", BACKENDS)
def test_graphs_stay(name):
    net = sym.relu(sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc"), name="y")
    assert net.get_backend_symbol(name).tojson() == net.tojson()
    assert net.optimize_for(name, {"x": nd.ones((2, 3))}, excluded="x").tojson() == net.tojson()


def test_all_are_found_by_name():
    assert {name.lower() for name in BACKENDS} <= set(subgraph.names())
    assert type(subgraph.create("mkldnn")) is UnchangedGraph
