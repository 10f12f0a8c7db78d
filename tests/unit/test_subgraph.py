"""The public module of subgraph backends."""

import opforge
from opforge import plugin_api, subgraph


def test_it_has_the_base_class_and_what_backends_get():
    assert plugin_api.SubgraphBackend is subgraph.SubgraphBackend
    assert opforge.subgraph is subgraph
    assert subgraph.GraphNode.__name__ == "GraphNode" and subgraph.Subgraph.__name__ == "Subgraph"
