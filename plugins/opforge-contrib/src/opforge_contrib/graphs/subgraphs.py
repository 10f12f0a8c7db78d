"""Operator _contrib_dgl_subgraph: subgraphs that sets of vertices induce."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, OpforgeError

from .csr_parts import csr_matrix, graph_of, vertices_of
from .operator import GraphOperator


class DGLSubgraph(GraphOperator):
    """Return the subgraph with the given vertices and all edges between them.

    Its vertices are numbered by position in the list, its edges from 0. Each vertex list yields a
    graph. With `return_mapping`, graphs with the original edge IDs follow.

    Examples
    --------
    >>> from opforge import nd
    >>> graph = nd.array([[1, 0, 2], [3, 0, 4], [0, 5, 0]], dtype="int64").tostype("csr")
    >>> vertices = nd.array([0, 2], dtype="int64")
    >>> new, old = nd.contrib.dgl_subgraph(graph, vertices, return_mapping=True)
    >>> new.asnumpy().tolist(), old.asnumpy().tolist()
    ([[0, 1], [0, 0]], [[1, 2], [0, 0]])
    """

    name = "_contrib_dgl_subgraph"
    variadic = "num_args"
    num_args = Attribute(int, ge=2, doc="Number of inputs; set by the call.")
    return_mapping = Attribute(bool, doc="Whether to return graphs with the original edge IDs too.")

    def list_arguments(self) -> list[str]:
        """Return the names of the graph and the vertex lists."""
        return ["graph", *(f"varray{i}" for i in range(self.num_args - 1))]

    def list_outputs(self) -> list[str]:
        """Return a name for each graph."""
        count = (self.num_args - 1) * (2 if self.return_mapping else 1)
        return ["output"] if count == 1 else [f"output{i}" for i in range(count)]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return a square shape for each vertex list."""
        self.expect_vectors(in_shape, 1)
        squares = [tuple(shape) * 2 or None for shape in in_shape[1:]]
        return in_shape, squares * (2 if self.return_mapping else 1), []

    def compute_sparse(self, data: Any, *lists: Any) -> Any:
        """Select the edges of each vertex list."""
        graph = graph_of(self.name, "graph", data)
        self.infer_shape([one.shape for one in (data, *lists)])
        new, old = [], []
        for name, array in zip(self.list_arguments()[1:], lists, strict=True):
            vertices = vertices_of(self.name, name, array, data.shape[0])
            if (vertices[1:] < vertices[:-1]).any():
                raise OpforgeError(
                    f"operator '{self.name}': '{name}' does not ascend; pass the vertices in "
                    "ascending order"
                )
            positions, counts = graph.edges_of(vertices)
            # A repeated vertex has the number of its last occurrence.
            numbers = np.searchsorted(vertices, graph.columns[positions], side="right") - 1
            is_inside = vertices[numbers] == graph.columns[positions]
            rows = np.repeat(np.arange(len(vertices)), counts)[is_inside]
            bounds = np.searchsorted(rows, np.arange(len(vertices) + 1))
            rest = numbers[is_inside], bounds, (len(vertices),) * 2, data.context
            new.append(csr_matrix(np.arange(len(rows)), *rest))
            if self.return_mapping:
                old.append(csr_matrix(graph.ids[positions[is_inside]], *rest))
        graphs = new + old
        return graphs if len(graphs) > 1 else graphs[0]
