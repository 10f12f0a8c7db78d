import numpy as np
import pytest

from opforge import OpforgeError, nd, sym


def vertices(*ids):
    return nd.array(ids, dtype="int64")


def test_subgraphs_keep_the_edges_between_their_vertices():
    rng = np.random.default_rng(1)
    dense = rng.integers(0, 2, (40, 40)) * np.arange(1, 1601).reshape(40, 40)
    graph = nd.array(dense, dtype="int64").tostype("csr")
    chosen = np.unique(rng.integers(0, 40, 15))
    new, old = nd.contrib.dgl_subgraph(graph, vertices(*chosen), return_mapping=True)
    np.testing.assert_array_equal(old.asnumpy(), dense[np.ix_(chosen, chosen)])
    for part in ("indices", "indptr"):
        np.testing.assert_array_equal(getattr(new, part).asnumpy(), getattr(old, part).asnumpy())
    assert new.data.asnumpy().tolist() == list(range(new.data.size))
    new.check_format()
    old.check_format()


def test_several_lists(complete):
    first, second, old_first, old_second = nd.contrib.dgl_subgraph(
        complete(), vertices(1, 3), vertices(4), return_mapping=True
    )
    assert first.asnumpy().tolist() == [[0, 0], [1, 0]]
    assert old_first.asnumpy().tolist() == [[0, 7], [14, 0]]
    assert second.asnumpy().tolist() == old_second.asnumpy().tolist() == [[0]]
    pair = nd.contrib.dgl_subgraph(
        complete(), vertices(1, 3), vertices(4), num_args=3, return_mapping=False
    )
    assert [graph.shape for graph in pair] == [(2, 2), (1, 1)]


def test_repeated_vertices_have_the_number_of_the_last(complete):
    new, old = nd.contrib.dgl_subgraph(complete(), vertices(0, 2, 2, 3), return_mapping=True)
    assert new.asnumpy().tolist() == [[0, 0, 0, 1], [2, 0, 0, 3], [4, 0, 0, 5], [6, 0, 7, 0]]
    assert old.asnumpy().tolist() == [[0, 0, 2, 3], [9, 0, 0, 11], [9, 0, 0, 11], [13, 0, 15, 0]]


def test_no_vertices(complete):
    assert nd.contrib.dgl_subgraph(complete(), vertices(), return_mapping=False).shape == (0, 0)
    empty = nd.sparse.zeros("csr", (3, 3), dtype="int64")
    found = nd.contrib.dgl_subgraph(empty, vertices(0, 2), return_mapping=False)
    assert found.asnumpy().tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("ids", "match"),
    [
        ([3, 1], "'varray0' does not ascend"),
        ([-1, 1], "'varray0' contains -1; expected 0 to 4"),
        ([1, 5], "'varray0' contains 5"),
        ([[1, 2]], "expected one axis"),
    ],
)
def test_invalid_vertices(complete, ids, match):
    with pytest.raises(OpforgeError, match=match):
        nd.contrib.dgl_subgraph(complete(), nd.array(ids, dtype="int64"), return_mapping=False)


def test_other_types(complete):
    with pytest.raises(OpforgeError, match="'varray0' has the type float32; expected int64"):
        nd.contrib.dgl_subgraph(complete(), nd.array([1]), return_mapping=False)
    with pytest.raises(OpforgeError, match="'graph' has the type float32; expected int64"):
        nd.contrib.dgl_subgraph(complete().astype("float32"), vertices(1), return_mapping=False)
    with pytest.raises(OpforgeError, match="expected a csr matrix"):
        nd.contrib.dgl_subgraph(complete().tostype("default"), vertices(1), return_mapping=False)
    with pytest.raises(OpforgeError, match="return_mapping"):
        nd.contrib.dgl_subgraph(complete(), vertices(1))


def test_symbols(complete):
    graph = sym.contrib.dgl_subgraph(sym.var("g"), sym.var("v"), return_mapping=True, name="s")
    assert graph.list_outputs() == ["s_output0", "s_output1"]
    assert graph.infer_shape(g=(5, 5), v=(2,))[1] == [(2, 2), (2, 2)]
    new, old = graph.eval(g=complete(), v=vertices(1, 3))
    assert new.asnumpy().tolist() == [[0, 0], [1, 0]]
    assert old.stype == "csr"
