import pytest

from opforge import sym


def outputs(symbol, **given):
    return symbol.infer_shape_partial(**given)[1]


a, b = sym.var("a"), sym.var("b")


@pytest.mark.plugins
def test_sums_and_products_with_an_unknown_dimension_are_unknown():
    assert outputs(sym.concat(a, b, dim=1), a=(2, 3), b=(2, 0)) == [(2, 0)]
    assert outputs(sym.Flatten(a), a=(2, 0, 3)) == [(2, 0)]
    assert outputs(sym.tile(a, reps=(2, 3)), a=(0, 2)) == [(0, 6)]
    assert outputs(sym.reshape(a, shape=(-1, 2)), a=(0, 4)) == [(0, 2)]
    assert outputs(sym.reshape(a, shape=(0, -1)), a=(2, 0)) == [(2, 0)]


def test_parts_of_an_unknown_dimension_are_unknown():
    halves = sym.SliceChannel(a, num_outputs=2, axis=0)
    assert outputs(halves, a=(0, 3)) == [(0, 3), (0, 3)]


def test_an_unknown_dimension_may_be_one_that_is_broadcast():
    total = sym.broadcast_add(a, b)
    assert outputs(total, a=(2, 0), b=(1, 3)) == [(2, 3)]
    assert outputs(total, a=(2, 0), b=(1, 1)) == [(2, 0)]
    assert outputs(total, a=(0, 3), b=(3,)) == [(0, 3)]


@pytest.mark.plugins
def test_unknown_shapes_are_not_taken_for_scalars():
    assert outputs(sym.broadcast_add(a, b), a=(2, 3)) == [()]
    assert outputs(sym.dot(a, b), a=(2, 3)) == [()]
    assert outputs(sym.BatchNorm(a, name="n"), n_gamma=(3,)) == [()]


def test_shapes_independent_of_an_unknown_dimension_are_known():
    layer = sym.FullyConnected(a, num_hidden=3, name="f")
    assert layer.infer_shape_partial(a=(0, 5))[0] == [(0, 5), (3, 5), (3,)]
    assert outputs(sym.sum(a, axis=0), a=(0, 5)) == [(5,)]
