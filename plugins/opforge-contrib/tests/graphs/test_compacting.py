import numpy as np
import pytest

from opforge import OpforgeError, nd, sym

COMPACT = nd.contrib.dgl_graph_compact


def vertices(*ids):
    return nd.array(ids, dtype="int64")


def sample():
    """Return edges 0 -> 1, 0 -> 4, 3 -> 0, 3 -> 4 among 6 rows, of which 4 are used."""
    edges = nd.sparse.csr_matrix(
        (np.array([1, 4, 17, 20]), [1, 4, 0, 4], [0, 2, 2, 4, 4, 4, 4]), shape=(6, 5), dtype="int64"
    )
    return edges, vertices(0, 1, 3, 4, 99, 99, 4)


def test_rows_and_columns_are_renumbered():
    found = COMPACT(*sample(), graph_sizes=4, return_mapping=False)
    assert found.stype == "csr" and found.dtype == np.int64
    assert found.indptr.asnumpy().tolist() == [0, 2, 2, 4, 4]
    assert found.indices.asnumpy().tolist() == [1, 3, 0, 3]
    assert found.data.asnumpy().tolist() == [0, 1, 2, 3]


def test_the_mapping_has_the_original_ids():
    new, old = COMPACT(*sample(), graph_sizes=(4,), return_mapping=True)
    assert new.data.asnumpy().tolist() == [0, 1, 2, 3]
    assert old.asnumpy().tolist() == [[0, 1, 0, 4], [0] * 4, [17, 0, 0, 20], [0] * 4]


def test_several_graphs():
    edges, ids = sample()
    empty = nd.sparse.zeros("csr", (2, 5), dtype="int64"), vertices(3, 0, 1)
    found = COMPACT(edges, empty[0], ids, empty[1], graph_sizes=(4, 1), return_mapping=True)
    assert [graph.shape for graph in found] == [(4, 4), (1, 1), (4, 4), (1, 1)]


@pytest.mark.parametrize("size", [[4], np.array([4]), np.int64(4), "4"])
def test_forms_of_sizes(size):
    assert COMPACT(*sample(), graph_sizes=size, return_mapping=False).shape == (4, 4)


def test_samples_are_compacted(complete):
    ids, edges, _ = nd.contrib.dgl_csr_neighbor_uniform_sample(
        complete(), vertices(0, 4), num_hops=2, max_num_vertices=9
    )
    count = ids[-1].asscalar()
    found = COMPACT(edges, ids, graph_sizes=count, return_mapping=False)
    known = ids.asnumpy()
    np.testing.assert_array_equal(known[found.indices.asnumpy()], edges.indices.asnumpy())
    assert found.indptr.asnumpy().tolist() == edges.indptr.asnumpy()[: count + 1].tolist()


def test_no_vertices():
    edges = nd.sparse.zeros("csr", (3, 3), dtype="int64")
    found = COMPACT(edges, vertices(0, 0, 0, 0), graph_sizes=0, return_mapping=False)
    assert found.shape == (0, 0)


def test_edges_to_other_vertices():
    edges, _ = sample()
    with pytest.raises(OpforgeError, match="edge to vertex 4, which is not among the 4 vertices"):
        COMPACT(edges, vertices(0, 1, 3, 2, 0, 0, 4), graph_sizes=4, return_mapping=False)
    with pytest.raises(OpforgeError, match="edge to vertex 1"):
        COMPACT(edges, vertices(0, 3, 0, 0, 0, 0, 3), graph_sizes=3, return_mapping=False)


@pytest.mark.parametrize(
    ("ids", "size", "match"),
    [
        ((0, 1, 3, 4, 0, 0, 4), 3, r"graph_sizes\[0\] is 3"),
        ((0, 1, 3, 4, 4), 4, "one more element than rows"),
        ((0, 1, 3, 4, 0, 0, 7), 7, "one more element than rows"),
        ((0, 1, 3, 4, 0, 0, -4), -4, r"graph_sizes\[0\] is -4"),
        ((0, 1, 3, 4, 0, 0, 2), 2, "edges after row 1"),
        ((0, 1, 3, 4, 0, 0, 0), 0, "edges after row -1"),
        ((), 4, "0 elements"),
    ],
)
def test_invalid_sizes(ids, size, match):
    with pytest.raises(OpforgeError, match=match):
        COMPACT(sample()[0], vertices(*ids), graph_sizes=size, return_mapping=False)


def test_invalid_inputs():
    edges, ids = sample()
    with pytest.raises(OpforgeError, match="a size for each graph"):
        COMPACT(edges, ids, graph_sizes=(4, 4), return_mapping=False)
    with pytest.raises(OpforgeError, match="it got 3 inputs"):
        COMPACT(edges, ids, ids, graph_sizes=(4,), return_mapping=False)
    with pytest.raises(OpforgeError, match="'varray0' has the storage type 'row_sparse'"):
        COMPACT(
            edges,
            nd.sparse.zeros("row_sparse", (7,), dtype="int64"),
            graph_sizes=4,
            return_mapping=False,
        )
    with pytest.raises(OpforgeError, match="'graph0' is dense; expected a csr matrix"):
        COMPACT(ids, ids, graph_sizes=4, return_mapping=False)
    with pytest.raises(OpforgeError, match="'varray0' has the type float32"):
        COMPACT(edges, ids.astype("float32"), graph_sizes=4, return_mapping=False)


def test_symbols():
    graph = sym.contrib.dgl_graph_compact(
        sym.var("g"), sym.var("v"), graph_sizes=4, return_mapping=True
    )
    assert graph.infer_shape(g=(6, 5), v=(7,))[1] == [(4, 4), (4, 4)]
    new, old = graph.eval(g=sample()[0], v=sample()[1])
    assert new.shape == old.shape == (4, 4)
