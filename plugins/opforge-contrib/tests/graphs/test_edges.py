import numpy as np
import pytest

from opforge import OpforgeError, autograd, nd, sym


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int32", "int64"])
def test_edge_ids(dtype):
    dense = np.random.default_rng(0).integers(0, 3, (7, 5))
    u, v = np.indices(dense.shape).reshape(2, -1)
    matrix = nd.sparse.csr_matrix(nd.array(dense).tostype("csr"), dtype=dtype)
    for kind in ("float32", "int64"):
        found = nd.contrib.edge_id(matrix, nd.array(u, dtype=kind), nd.array(v, dtype=kind))
        assert found.dtype == np.dtype(dtype)
        expected = np.where(dense, dense, -1).astype(dtype).reshape(-1)
        np.testing.assert_array_equal(found.asnumpy(), expected)


def test_unsorted_and_repeated_edges():
    matrix = nd.sparse.csr_matrix(([7, 8, 9, 5], [2, 0, 2, 1], [0, 3, 4]), shape=(2, 3))
    pairs = nd.array([0, 0, 0, 1, 1]), nd.array([0, 1, 2, 1, 0])
    assert nd.contrib.edge_id(matrix, *pairs).asnumpy().tolist() == [8, -1, 7, 5, -1]


def test_columns_outside_of_the_graph_have_no_edge(complete):
    u, v = nd.array([0, 1, 4, 0, 3]), nd.array([-1, 7, 5, np.nan, np.inf])
    assert nd.contrib.edge_id(complete(), u, v).asnumpy().tolist() == [-1] * 5


@pytest.mark.parametrize("shape", [(0, 0), (3, 3), (3, 0)])
def test_graphs_without_edges(shape):
    rows = nd.zeros((min(shape[0], 1),))
    empty = nd.sparse.zeros("csr", shape, dtype="int64")
    assert nd.contrib.edge_id(empty, rows, rows).asnumpy().tolist() == [-1] * rows.size
    assert nd.contrib.dgl_adjacency(empty).shape == shape


@pytest.mark.parametrize("row", [-1, 5, 1e30, np.nan])
def test_rows_out_of_range(complete, row):
    with pytest.raises(OpforgeError, match=r"'u' contains .*; expected 0 to 4"):
        nd.contrib.edge_id(complete(), nd.array([0, row]), nd.array([0, 0]))


def test_misfits_of_pairs(complete):
    with pytest.raises(OpforgeError, match="expected equal shapes"):
        nd.contrib.edge_id(complete(), nd.zeros(2), nd.zeros(3))
    with pytest.raises(OpforgeError, match="expected one axis"):
        nd.contrib.edge_id(complete(), nd.zeros((2, 1)), nd.zeros((2, 1)))
    with pytest.raises(OpforgeError, match="expected a dense array"):
        nd.contrib.edge_id(complete(), nd.sparse.zeros("row_sparse", (2,)), nd.zeros(2))


def test_other_storage_types():
    dense = nd.ones((3, 3), dtype="int64")
    for other in (dense, dense.tostype("row_sparse")):
        with pytest.raises(OpforgeError, match="expected a csr matrix"):
            nd.contrib.edge_id(other, nd.zeros(1), nd.zeros(1))
        with pytest.raises(OpforgeError, match="expected a csr matrix"):
            nd.contrib.dgl_adjacency(other)


def test_malformed_graphs():
    broken = nd.sparse.csr_matrix(
        (nd.ones(2, dtype="int64"), [0, 9], [0, 1, 2]), shape=(2, 2), dtype="int64"
    )
    with pytest.raises(OpforgeError, match="the index 9 is out of range"):
        nd.contrib.edge_id(broken, nd.zeros(1), nd.zeros(1))
    with pytest.raises(OpforgeError, match="malformed"):
        nd.contrib.dgl_adjacency(broken)


def test_adjacency(complete):
    found = nd.contrib.dgl_adjacency(complete())
    assert found.stype == "csr" and found.dtype == np.float32
    np.testing.assert_array_equal(found.asnumpy(), 1 - np.eye(5))
    found[:] = 0
    assert complete().asnumpy().any()
    with pytest.raises(OpforgeError, match="float32; expected int64"):
        nd.contrib.dgl_adjacency(complete().astype("float32"))


def test_graphs_of_symbols(complete):
    graph, u, v = map(sym.var, "guv")
    ids = sym.contrib.edge_id(graph, u, v, name="ids")
    assert ids.infer_shape(g=(5, 5), u=(2,))[0] == [(5, 5), (2,), (2,)]
    assert (ids + sym.var("x")).infer_shape(g=(5, 5), x=(3,))[0][1:] == [(3,), (3,), (3,)]
    given = {"u": nd.array([0, 1]), "v": nd.array([1, 1])}
    (found,) = ids.eval(g=complete(), **given)
    assert found.asnumpy().tolist() == [1, -1]
    (found,) = sym.contrib.dgl_adjacency(graph).eval(g=complete())
    assert found.stype == "csr"


def test_calls_while_recording(complete):
    x = nd.ones((3, 3)).tostype("csr")
    x.attach_grad()
    with autograd.record():
        found = nd.contrib.edge_id(x, nd.array([1]), nd.array([2]))
    assert found.asnumpy().tolist() == [1]
