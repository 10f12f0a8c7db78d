import pytest

from opforge import np_shape, sym

X, Y = sym.var("x"), sym.var("y")


@pytest.fixture(autouse=True)
def numpy_shapes():
    with np_shape():
        yield


@pytest.mark.parametrize(
    ("graph", "given", "expected"),
    [
        (sym.sin(X), {"x": (0, 2)}, ([(0, 2)], [(0, 2)], [])),
        (sym.sin(X), {"x": ()}, ([()], [()], [])),
        (sym.dot(X, Y), {"x": (2, 0), "y": (0, 3)}, ([(2, 0), (0, 3)], [(2, 3)], [])),
        (
            sym.FullyConnected(X, num_hidden=4, name="fc"),
            {"x": (0, 3)},
            ([(0, 3), (4, 3), (4,)], [(0, 4)], []),
        ),
        (
            sym.concat(X, Y, dim=0),
            {"x": (0, 3), "y": (2, 3)},
            ([(0, 3), (2, 3)], [(2, 3)], []),
        ),
        (sym.sum(X), {"x": (2, 3)}, ([(2, 3)], [(1,)], [])),
        (sym.sin(sym.var("z", shape=(0, 2, 3))), {}, ([(0, 2, 3)], [(0, 2, 3)], [])),
    ],
)
def test_zeros_are_lengths(graph, given, expected):
    assert graph.infer_shape(**given) == expected


@pytest.mark.plugins
def test_value_dependent_lengths_are_unknown():
    rows = sym.sin(sym.contrib.boolean_mask(X, Y))
    shapes = rows.infer_shape_partial(x=(3, 2), y=(3,))
    assert shapes == ([(3, 2), (3,)], [(-1, 2)], [])


def test_minus_one_is_unknown():
    assert sym.sin(X).infer_shape_partial() == ([None], [None], [])
    assert sym.sin(X).infer_shape_partial(x=(-1, 2)) == ([(-1, 2)], [(-1, 2)], [])
    graph = sym.dot(X, Y)
    assert graph.infer_shape_partial(x=(-1, 3, 4), y=(4, 5))[1] == [(-1, 3, 5)]
    with pytest.warns(UserWarning, match="-1 means unknown dimensions"):
        assert sym.sin(X).infer_shape(x=(-1, 2)) == (None, None, None)


def test_without_numpys_shapes_zeros_are_unknown():
    with np_shape(False), pytest.warns(UserWarning, match="0s in shape means unknown"):
        assert sym.sin(X).infer_shape(x=(0, 2)) == (None, None, None)
