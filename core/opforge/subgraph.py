"""Subgraph backends: plugins that replace parts of graphs by their own operators.

`Symbol.optimize_for`, `gluon.HybridBlock.optimize_for` and `hybridize(backend=...)` use them by
name.
"""

from .symbol.partitioning.backend import SubgraphBackend as SubgraphBackend
from .symbol.partitioning.backend import create as create
from .symbol.partitioning.backend import names as names
from .symbol.partitioning.backend import register as register
from .symbol.partitioning.subgraph import GraphNode as GraphNode
from .symbol.partitioning.subgraph import Subgraph as Subgraph

__all__ = ["GraphNode", "Subgraph", "SubgraphBackend", "create", "names", "register"]
