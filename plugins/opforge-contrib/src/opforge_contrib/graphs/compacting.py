"""Operator _contrib_dgl_graph_compact: sampled subgraphs without unused rows and columns."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, OpforgeError, Shape, ShapeError

from .csr_parts import csr_matrix, dense_of, graph_of
from .operator import GraphOperator


class DGLGraphCompact(GraphOperator):
    """Remove the unused rows and columns of subgraphs returned by neighbor sampling.

    The inputs are the graphs, followed by the vertices of each. Vertices are numbered by their
    position in this list, edges from 0. With `return_mapping`, graphs with the original edge IDs
    follow.

    Examples
    --------
    >>> from opforge import nd
    >>> graph = nd.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]], dtype="int64").tostype("csr")
    >>> vertices, edges, layers = nd.contrib.dgl_csr_neighbor_uniform_sample(
    ...     graph, nd.array([1], dtype="int64"), max_num_vertices=5)
    >>> edges.shape, vertices.asnumpy().tolist()
    ((5, 3), [0, 1, 2, 0, 0, 3])
    >>> nd.contrib.dgl_graph_compact(
    ...     edges, vertices, graph_sizes=3, return_mapping=False).asnumpy().tolist()
    [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    """

    name = "_contrib_dgl_graph_compact"
    variadic = "num_args"
    num_args = Attribute(int, ge=2, doc="Number of inputs; set by the call.")
    return_mapping = Attribute(bool, doc="Whether to return graphs with the original edge IDs too.")
    graph_sizes = Attribute(Shape, doc="Number of vertices of each graph.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.num_args % 2 or len(self.graph_sizes) != self.num_args // 2:
            raise ShapeError(
                f"operator '{self.name}': it got {self.num_args} inputs and "
                f"graph_sizes={self.graph_sizes}; expected graphs, as many vertex lists, and a "
                "size for each graph"
            )

    def list_arguments(self) -> list[str]:
        """Return the names of the graphs and the vertex lists."""
        count = self.num_args // 2
        return [f"{name}{i}" for name in ("graph", "varray") for i in range(count)]

    def list_outputs(self) -> list[str]:
        """Return a name for each graph."""
        count = self.num_args // 2 * (2 if self.return_mapping else 1)
        return ["output"] if count == 1 else [f"output{i}" for i in range(count)]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return a square shape for each graph."""
        self.expect_vectors(in_shape, self.num_args // 2)
        squares = [(size, size) for size in self.graph_sizes]
        return in_shape, squares * (2 if self.return_mapping else 1), []

    def compute_sparse(self, *inputs: Any) -> Any:
        """Renumber the columns of each graph."""
        self.infer_shape([one.shape for one in inputs])
        count = len(inputs) // 2
        names = self.list_arguments()
        new, old = [], []
        for position, size in enumerate(self.graph_sizes):
            matrix = inputs[position]
            graph = graph_of(self.name, names[position], matrix)
            ids = dense_of(self.name, names[count + position], inputs[count + position], "int64")
            self._expect_size(position, size, ids, matrix, graph)
            order = np.argsort(ids[:size], kind="stable")
            found = np.searchsorted(ids[:size], graph.columns, sorter=order)
            numbers = order[np.minimum(found, size - 1)] if size else found
            is_missing = ids[numbers] != graph.columns
            if is_missing.any():
                raise OpforgeError(
                    f"operator '{self.name}': '{names[position]}' has an edge to vertex "
                    f"{graph.columns[is_missing][0]}, which is not among the {size} vertices in "
                    f"'{names[count + position]}'; sample with a larger max_num_vertices"
                )
            rest = numbers, graph.bounds[: size + 1], (size, size), matrix.context
            new.append(csr_matrix(np.arange(len(numbers)), *rest))
            if self.return_mapping:
                old.append(csr_matrix(graph.ids, *rest))
        graphs = new + old
        return graphs if len(graphs) > 1 else graphs[0]

    def _expect_size(self, position: int, size: int, ids: Any, matrix: Any, graph: Any) -> None:
        """Reject a size that differs from the number of vertices in the graph."""
        if len(ids) != matrix.shape[0] + 1 or ids[-1] != size or not 0 <= size < len(ids):
            raise ShapeError(
                f"operator '{self.name}': graph_sizes[{position}] is {size}, the graph has shape "
                f"{matrix.shape} and the list of vertices {len(ids)} elements, the last of which "
                f"is {ids[-1] if len(ids) else None}; expected one more element than rows, the "
                "last of which is the size"
            )
        if graph.bounds[size] != len(graph.columns):
            raise OpforgeError(
                f"operator '{self.name}': graph {position} has edges after row {size - 1}; "
                f"expected none, as graph_sizes[{position}] is {size}"
            )
