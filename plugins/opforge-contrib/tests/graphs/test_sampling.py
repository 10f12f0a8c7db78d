import warnings
from collections import Counter

import numpy as np
import pytest

from opforge import OpforgeError, nd, random, sym

UNIFORM = nd.contrib.dgl_csr_neighbor_uniform_sample
NON_UNIFORM = nd.contrib.dgl_csr_neighbor_non_uniform_sample
#: Bounds of chi-square statistics by degrees of freedom that 1 in 1000 seeds exceed.
CHI_SQUARE = {2: 13.82, 3: 16.27, 8: 26.12, 35: 66.62}


def vertices(*ids):
    return nd.array(ids, dtype="int64")


def chi_square(counts, expected):
    counts, expected = np.asarray(counts), np.asarray(expected)
    return float(((counts - expected) ** 2 / expected).sum())


def sampled(graph, *seeds, **attributes):
    ids, edges, layers = UNIFORM(graph, vertices(*seeds), **attributes)
    count = ids[-1].asscalar()
    return ids.asnumpy()[:count], edges, layers.asnumpy()[:count]


@pytest.mark.parametrize("hops", [0, 1, 2, 3])
@pytest.mark.parametrize("neighbors", [1, 3, 50])
def test_samples_are_neighborhoods(hops, neighbors):
    rng = np.random.default_rng(hops)
    dense = np.triu(rng.random((60, 60)) < 0.1, 1) * np.arange(1, 3601).reshape(60, 60)
    graph = nd.array(dense, dtype="int64").tostype("csr")
    seeds = rng.permutation(20)[:5].tolist()
    ids, edges, layers = sampled(
        graph, *seeds, num_hops=hops, num_neighbor=neighbors, max_num_vertices=60
    )
    edges.check_format()
    assert edges.shape == (60, 60)
    assert (np.diff(ids) > 0).all()
    assert sorted(ids[layers == 0]) == sorted(seeds)
    found = edges.asnumpy()
    assert not found[len(ids) :].any()
    known = set(seeds)
    for hop in range(hops):
        reached = set()
        for vertex in ids[layers == hop]:
            row = found[list(ids).index(vertex)]
            assert np.count_nonzero(row) == min(neighbors, np.count_nonzero(dense[vertex]))
            np.testing.assert_array_equal(row[row != 0], dense[vertex][row != 0])
            reached |= set(np.flatnonzero(row))
        assert set(ids[layers == hop + 1]) == reached - known
        known |= reached
    assert set(ids) == known


def test_padding_and_repeated_seeds(complete):
    ids, edges, layers = UNIFORM(complete(), vertices(3, 0, 3), num_neighbor=9, max_num_vertices=6)
    assert ids.asnumpy().tolist() == [0, 1, 2, 3, 4, 0, 5]
    assert layers.asnumpy().tolist() == [0, 1, 1, 0, 1, 0]
    assert edges.indptr.asnumpy().tolist() == [0, 4, 4, 4, 8, 8, 8]


def drawn(seed, n_draws, n_neighbors, probabilities=None, width=9):
    """Return how often each combination of the last `width` vertices was drawn."""
    random.seed(seed)
    dense = np.zeros((n_draws + width,) * 2, np.int8)
    dense[:n_draws, n_draws:] = 1
    graph = nd.sparse.csr_matrix(nd.array(dense).tostype("csr"), dtype="int64")
    options = {"num_neighbor": n_neighbors, "max_num_vertices": n_draws + width + 1}
    seeds = vertices(*range(n_draws))
    if probabilities is None:
        edges = UNIFORM(graph, seeds, **options)[1]
    else:
        given = nd.array(np.append(np.ones(n_draws), probabilities))
        edges = NON_UNIFORM(graph, given, seeds, **options)[1]
    columns = edges.indices.asnumpy().reshape(n_draws, n_neighbors) - n_draws
    return Counter(map(tuple, columns.tolist()))


def test_neighbors_have_equal_probabilities():
    n_draws = 1800
    pairs = drawn(3, n_draws, 2)
    assert len(pairs) == 36
    assert chi_square(list(pairs.values()), n_draws / 36) < CHI_SQUARE[35]


def test_neighbors_are_drawn_in_proportion_to_their_probabilities():
    n_draws, weights = 2000, np.arange(1, 10)
    found = drawn(4, n_draws, 1, weights)
    counts = [found[i,] for i in range(9)]
    assert chi_square(counts, n_draws * weights / weights.sum()) < CHI_SQUARE[8]


def test_pairs_are_drawn_one_after_the_other():
    n_draws, p = 2000, np.array([0.6, 0.3, 0.1])
    pairs = drawn(5, n_draws, 2, p, width=3)
    chances = {
        (i, j): p[i] * p[j] * (1 / (1 - p[i]) + 1 / (1 - p[j])) for i, j in ((0, 1), (0, 2), (1, 2))
    }
    counts = [pairs[pair] for pair in chances]
    assert chi_square(counts, n_draws * np.array(list(chances.values()))) < CHI_SQUARE[2]


def test_draws_of_calls_and_vertices_are_independent():
    random.seed(6)
    graph = nd.array([[0, 0, 1, 1], [0, 0, 1, 1], [0] * 4, [0] * 4], dtype="int64").tostype("csr")
    counts = np.zeros(4)
    for _ in range(200):
        _, edges, _ = sampled(graph, 0, 1, num_neighbor=1)
        counts[int(edges.indices.asnumpy() @ [2, 1]) - 6] += 1
    assert chi_square(counts, 50) < CHI_SQUARE[3]


def test_samples_follow_the_seed(complete):
    def draw():
        random.seed(7)
        return [
            array.asnumpy().tolist()
            for _ in range(3)
            for array in UNIFORM(complete(), vertices(0), vertices(1), num_neighbor=1, num_hops=3)
        ]

    first = draw()
    assert first == draw()
    assert first[:6] != first[6:12] or first[6:12] != first[12:]


def test_probabilities_are_those_of_the_vertices(complete):
    p = nd.array([0.9, 0.8, 0.2, 0.4, 0.1])
    ids, _, found, layers = NON_UNIFORM(complete(), p, vertices(2, 4), max_num_vertices=8)
    count = ids[-1].asscalar()
    assert found.dtype == np.float32 and layers.dtype == np.int64
    np.testing.assert_array_equal(
        found.asnumpy(), np.append(p.asnumpy()[ids.asnumpy()[:count]], [0] * (8 - count))
    )


def test_vertices_of_probability_0_are_not_drawn(complete):
    p = nd.array([0, 0, 0, 1, 0])
    _, edges, _, _ = NON_UNIFORM(complete(), p, vertices(0), num_neighbor=2)
    assert edges.indices.asnumpy().tolist() == [3]
    _, edges, _, _ = NON_UNIFORM(complete(), p, vertices(0), num_neighbor=4)
    assert edges.indices.asnumpy().tolist() == [1, 2, 3, 4]


def test_ids_stay_with_their_edges():
    graph = nd.array([[0, 9, 1, 5], [0] * 4, [0] * 4, [0] * 4], dtype="int64").tostype("csr")
    _, edges, _, _ = NON_UNIFORM(graph, nd.array([1, 1, 1, 0]), vertices(0), num_neighbor=2)
    assert edges.asnumpy()[0].tolist() == [0, 9, 1, 0]


def test_outputs_are_grouped_by_kind(complete):
    seeds = vertices(0), vertices(1, 2)
    found = NON_UNIFORM(complete(), nd.ones(5), *seeds, num_args=4, max_num_vertices=7)
    assert [array.shape for array in found] == [(8,)] * 2 + [(7, 5)] * 2 + [(7,)] * 4
    assert [array.stype for array in found] == ["default"] * 2 + ["csr"] * 2 + ["default"] * 4


@pytest.mark.parametrize(
    ("seeds", "most", "expected"),
    [((0, 1, 2, 3, 4), 5, (5, 0)), ((0,), 2, (2, 3)), ((0,), 1, (1, 0))],
)
def test_the_number_of_vertices_is_bounded(complete, seeds, most, expected):
    with pytest.warns(UserWarning, match=f"max_num_vertices={most}"):
        ids, edges, _ = sampled(
            complete(), *seeds, num_neighbor=3, num_hops=2, max_num_vertices=most
        )
    assert (len(ids), edges.data.size) == expected


def test_a_bound_reached_in_the_last_layer_causes_no_warning(star):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ids, _, _ = sampled(star(), 0, num_neighbor=9, max_num_vertices=10)
    assert len(ids) == 10


def test_empty_graphs_and_no_seeds(complete):
    empty = nd.sparse.zeros("csr", (3, 3), dtype="int64")
    ids, edges, _ = sampled(empty, 2, 1, num_hops=4)
    assert ids.tolist() == [1, 2] and edges.data.size == 0
    ids, edges, _ = sampled(complete())
    assert len(ids) == edges.data.size == 0
    nothing = nd.sparse.zeros("csr", (0, 0), dtype="int64")
    assert sampled(nothing, max_num_vertices=0)[1].shape == (0, 0)


@pytest.mark.parametrize(
    ("attributes", "match"),
    [
        ({"max_num_vertices": 1}, "2 seeds and max_num_vertices is 1"),
        ({"num_neighbor": -1}, "num_neighbor"),
        ({"num_hops": -1}, "num_hops"),
        ({"max_num_vertices": -1}, "max_num_vertices"),
    ],
)
def test_invalid_attributes(complete, attributes, match):
    with pytest.raises(OpforgeError, match=match):
        UNIFORM(complete(), vertices(0, 1), **attributes)


@pytest.mark.parametrize("seed", [-1, 5, 2**62])
def test_seeds_out_of_range(complete, seed):
    with pytest.raises(OpforgeError, match=f"'seed_arrays0' contains {seed}; expected 0 to 4"):
        UNIFORM(complete(), vertices(0, seed))


def test_invalid_graphs(complete):
    wide = nd.ones((2, 3), dtype="int64").tostype("csr")
    with pytest.raises(OpforgeError, match=r"shape \(2, 3\); expected a square matrix"):
        UNIFORM(wide, vertices(0))
    with pytest.raises(OpforgeError, match="float32; expected int64"):
        UNIFORM(complete().astype("float32"), vertices(0))
    with pytest.raises(OpforgeError, match="float32; expected int64"):
        UNIFORM(complete(), nd.array([0]))
    for other in (
        complete().tostype("default"),
        nd.sparse.zeros("row_sparse", (5, 5)),
    ):
        with pytest.raises(OpforgeError, match="expected a csr matrix"):
            UNIFORM(other, vertices(0))
    with pytest.raises(OpforgeError, match="expected one axis"):
        UNIFORM(complete(), vertices(0).reshape((1, 1)))


@pytest.mark.parametrize(
    ("p", "match"),
    [
        ([1.0] * 4, r"shape \(4,\); expected \(5,\)"),
        ([1, 1, -1, 1, 1], "negative"),
        ([1, np.nan, 1, 1, 1], "not finite"),
        ([1, np.inf, 1, 1, 1], "not finite"),
    ],
)
def test_invalid_probabilities(complete, p, match):
    with pytest.raises(OpforgeError, match=match):
        NON_UNIFORM(complete(), nd.array(p), vertices(0))


def test_missing_seeds_and_types_of_probabilities(complete):
    with pytest.raises(OpforgeError, match="expected at least one array of seeds"):
        NON_UNIFORM(complete(), nd.ones(5))
    with pytest.raises(OpforgeError, match="float64; expected float32"):
        NON_UNIFORM(complete(), nd.ones(5, dtype="float64"), vertices(0))


def test_symbols(complete):
    graph = sym.contrib.dgl_csr_neighbor_uniform_sample(
        sym.var("g"), sym.var("v"), sym.var("w"), name="s", max_num_vertices=7
    )
    assert graph.list_outputs() == [f"s_output{i}" for i in range(6)]
    shapes = graph.infer_shape(g=(5, 5), v=(2,), w=(3,))[1]
    assert shapes == [(8,), (8,), (7, 5), (7, 5), (7,), (7,)]
    assert graph.infer_type(g="int64")[1] == [np.int64] * 6
    found = graph.eval(g=complete(), v=vertices(0, 1), w=vertices(2))
    assert [array.shape for array in found] == shapes
