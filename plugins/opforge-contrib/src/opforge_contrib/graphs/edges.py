"""Operators _contrib_edge_id and _contrib_dgl_adjacency: edges between vertices."""

from typing import Any

import numpy as np

from opforge.plugin_api import F, ShapeError

from .csr_parts import csr_matrix, dense_of, expect_vertices, graph_of
from .operator import GraphOperator


class EdgeID(GraphOperator):
    """Return the value that a csr matrix stores in row u[i] and column v[i], or -1 without one.

    Examples
    --------
    >>> from opforge import nd
    >>> graph = nd.array([[1, 0, 0], [0, 2, 0], [0, 0, 3]]).tostype("csr")
    >>> u, v = nd.array([0, 0, 1, 2]), nd.array([0, 1, 1, 0])
    >>> nd.contrib.edge_id(graph, u, v).asnumpy().tolist()
    [1.0, -1.0, 2.0, -1.0]
    """

    name = "_contrib_edge_id"
    arguments = ("data", "u", "v")
    argument_docs = {
        "data": "csr matrix of edge IDs",
        "u": "rows, shape (n,)",
        "v": "columns, shape (n,)",
    }
    argument_dtypes = {"u": ("any",), "v": ("any",)}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of `u` and `v`."""
        data, *pair = map(tuple, in_shape)
        self.expect_vectors(in_shape, 1)
        known = [shape for shape in pair if shape]
        if len(set(known)) > 1:
            raise ShapeError(
                f"operator '{self.name}': 'u' has shape {pair[0]} and 'v' {pair[1]}; expected "
                "equal shapes"
            )
        found = known[0] if known else ()
        return [data, found, found], [found or None], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for `u` and `v`."""
        (out,) = out_shapes
        return [in_shapes[0], out, out] if out else list(in_shapes)

    def compute_sparse(self, data: Any, u: Any, v: Any) -> Any:
        """Search for pairs of row and column among the edges."""
        graph = graph_of(self.name, "data", data, dtype=None)
        self.infer_shape([one.shape for one in (data, u, v)])
        rows, columns = dense_of(self.name, "u", u), dense_of(self.name, "v", v)
        count, width = data.shape
        expect_vertices(self.name, "u", rows, count)
        is_column = (columns >= 0) & (columns < width)
        ids = np.full(rows.shape, -1).astype(graph.ids.dtype)
        ids[is_column] = self._ids(graph, rows[is_column], columns[is_column], width)
        return F.from_numpy(ids)

    def _ids(self, graph: Any, rows: Any, columns: Any, width: int) -> Any:
        """Return the ID of each edge, or -1, by binary search among the edges of all rows."""
        read, numbers = np.unique(rows.astype(np.int64), return_inverse=True)
        edges, counts = graph.edges_of(read)
        keys = np.repeat(np.arange(len(read)) * width, counts) + graph.columns[edges]
        if (keys[1:] < keys[:-1]).any():
            order = np.argsort(keys, kind="stable")  # the first of equal edges counts
            keys, edges = keys[order], edges[order]
        queries = numbers * width + columns.astype(np.int64)
        # Queries after the last edge find an appended one that matches none.
        found = np.searchsorted(keys, queries)
        is_edge = np.append(keys, -1)[found] == queries
        ids = np.append(graph.ids[edges], graph.ids.dtype.type(0))[found]
        return np.where(is_edge, ids, np.array(-1).astype(ids.dtype))


class DGLAdjacency(GraphOperator):
    """Return the adjacency matrix of a graph: 1 in float32 for each edge.

    Examples
    --------
    >>> from opforge import nd
    >>> graph = nd.array([[5, 0], [0, 7]], dtype="int64").tostype("csr")
    >>> nd.contrib.dgl_adjacency(graph).asnumpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    name = "_contrib_dgl_adjacency"
    argument_docs = {"data": "csr matrix of edge IDs in int64"}
    output_dtypes = {"output": "float32"}

    def compute_sparse(self, data: Any) -> Any:
        """Return a matrix with the same indices."""
        graph = graph_of(self.name, "data", data)
        ones = np.ones(len(graph.columns), np.float32)
        return csr_matrix(ones, graph.columns, graph.bounds, data.shape, data.context)

    attrs = {"FElementwiseShape": True}
