"""Operators that sample subgraphs: `num_neighbor` edges of each vertex, hop by hop from seeds."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, F, OpforgeError, ShapeError

from .csr_parts import csr_matrix, dense_of, graph_of, vertices_of
from .neighborhood import sampled_neighborhood
from .operator import GraphOperator


class _NeighborSample(GraphOperator):
    """Base class with the attributes and outputs."""

    variadic = "num_args"
    num_args = Attribute(int, ge=2, doc="Number of inputs; set by the call.")
    num_hops = Attribute(int, default=1, ge=0, doc="Distance of the last layer from the seeds.")
    num_neighbor = Attribute(int, default=2, ge=0, doc="Edges to sample per vertex; at most all.")
    max_num_vertices = Attribute(int, default=100, ge=0, doc="Bound of the number of vertices.")

    #: Number of inputs before the seeds.
    n_first = 1

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.num_args <= self.n_first:
            raise ShapeError(
                f"operator '{self.name}': it got {self.num_args} inputs; expected at least one "
                f"array of seeds after the first {self.n_first}"
            )

    def list_arguments(self) -> list[str]:
        """Return the names of the graph, the probabilities and the arrays of seeds."""
        count = self.num_args - self.n_first
        first = ["csr_matrix", "probability"][: self.n_first]
        return [*first, *(f"seed_arrays{i}" for i in range(count))]

    def list_outputs(self) -> list[str]:
        """Return a name for each output: one of each kind for each array of seeds."""
        count = (self.num_args - self.n_first) * (self.n_first + 2)
        return [f"output{i}" for i in range(count)]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of vertices, edges, probabilities and layers."""
        self.expect_square(in_shape[0])
        self.expect_vectors(in_shape, 1)
        most, count = self.max_num_vertices, self.num_args - self.n_first
        edges = (most, in_shape[0][1]) if in_shape[0] else None
        shapes = [(most + 1,), edges, *[(most,)] * self.n_first]
        return in_shape, [shape for shape in shapes for _ in range(count)], []

    def infer_type(self, in_type: Any) -> Any:
        """Return int64, and float32 for probabilities."""
        first = [np.int64, np.float32][: self.n_first]
        count = self.num_args - self.n_first
        kinds = [np.int64, np.int64, *first[1:], np.int64]
        inputs = first + [np.int64] * count
        return inputs, [kind for kind in kinds for _ in range(count)], []

    def compute_sparse(self, data: Any, *rest: Any) -> Any:
        """Sample a subgraph for each array of seeds."""
        names = self.list_arguments()
        graph = graph_of(self.name, names[0], data)
        self.infer_shape([one.shape for one in (data, *rest)])
        weights = self._weights(names[1], rest[0], data.shape[0]) if self.n_first == 2 else None
        groups = []
        for name, array in zip(names[self.n_first :], rest[self.n_first - 1 :], strict=True):
            seeds = vertices_of(self.name, name, array, data.shape[0])
            if array.size > self.max_num_vertices:
                raise OpforgeError(
                    f"operator '{self.name}': '{name}' has {array.size} seeds and max_num_vertices "
                    f"is {self.max_num_vertices}; expected at least as many"
                )
            _, firsts = np.unique(seeds, return_index=True)
            groups.append(self._outputs(data, graph, weights, seeds[np.sort(firsts)]))
        return [output for kind in zip(*groups, strict=True) for output in kind]

    def _outputs(self, data: Any, graph: Any, weights: Any, seeds: Any) -> tuple[Any, ...]:
        """Return the arrays of one subgraph."""
        most = self.max_num_vertices
        found = sampled_neighborhood(graph, seeds, weights, self.num_hops, self.num_neighbor, most)
        vertices, layers = np.zeros(most + 1, np.int64), np.zeros(most, np.int64)
        count = len(found.vertices)
        vertices[:count], vertices[most], layers[:count] = found.vertices, count, found.layers
        bounds = np.searchsorted(found.rows, np.arange(most + 1))
        positions = found.positions
        shape = most, data.shape[1]
        edges = csr_matrix(
            graph.ids[positions], graph.columns[positions], bounds, shape, data.context
        )
        if weights is None:
            return F.from_numpy(vertices), edges, F.from_numpy(layers)
        probabilities = np.zeros(most, np.float32)
        probabilities[:count] = weights[found.vertices]
        return F.from_numpy(vertices), edges, F.from_numpy(probabilities), F.from_numpy(layers)

    def _weights(self, name: str, array: Any, count: int) -> Any:
        """Return the weights of the vertices."""
        weights = dense_of(self.name, name, array, "float32")
        if weights.shape != (count,):
            raise ShapeError(
                f"operator '{self.name}': '{name}' has shape {weights.shape}; expected ({count},), "
                "a weight for each vertex"
            )
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise OpforgeError(
                f"operator '{self.name}': '{name}' contains numbers that are negative or not "
                "finite; expected weights"
            )
        return weights

    attrs = {"FResourceRequest": ("random",)}


class DGLUniformSample(_NeighborSample):
    """Sample subgraphs: from each vertex, edges with equal probabilities, starting at seeds.

    For each array of seeds, it returns: the vertices in ascending order, followed by zeros and in
    the last element by their number; a csr matrix with a row of sampled edges for each vertex; and
    the distance of each vertex from the seeds. All vertex arrays come first, then all matrices. A
    warning is issued if `max_num_vertices` ends the sampling early.

    Examples
    --------
    >>> from opforge import nd
    >>> graph = nd.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]], dtype="int64").tostype("csr")
    >>> vertices, edges, layers = nd.contrib.dgl_csr_neighbor_uniform_sample(
    ...     graph, nd.array([0], dtype="int64"), num_neighbor=2, max_num_vertices=4)
    >>> vertices.asnumpy().tolist(), layers.asnumpy().tolist()
    ([0, 1, 2, 0, 3], [0, 1, 1, 0])
    >>> edges.asnumpy().tolist()
    [[0, 1, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    """

    name = "_contrib_dgl_csr_neighbor_uniform_sample"


class DGLNonUniformSample(_NeighborSample):
    """Sample subgraphs: from each vertex, edges with the probabilities of their other ends.

    Edges are drawn one after the other in proportion to the probability of the vertex that they
    lead to; those of probability 0 only if all edges of a vertex are taken. The inputs are the
    graph, a probability for each vertex, and arrays of seeds. The outputs are those of
    `dgl_csr_neighbor_uniform_sample`, with the probabilities of the vertices before the distances.

    Examples
    --------
    >>> from opforge import nd
    >>> graph = nd.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]], dtype="int64").tostype("csr")
    >>> vertices, edges, probabilities, layers = nd.contrib.dgl_csr_neighbor_non_uniform_sample(
    ...     graph, nd.array([1, 0, 0.5]), nd.array([0], dtype="int64"), num_neighbor=1,
    ...     max_num_vertices=2)
    >>> vertices.asnumpy().tolist(), probabilities.asnumpy().tolist()
    ([0, 2, 2], [1.0, 0.5])
    """

    name = "_contrib_dgl_csr_neighbor_non_uniform_sample"
    n_first = 2
