import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge import nd
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.testing import check_forward, check_gradients, check_requests

shapes = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple)
some_reps = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(shapes, some_reps)
def test_tile_matches_numpy(shape, reps):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    np.testing.assert_array_equal(nd.tile(nd.array(x), reps=reps).asnumpy(), np.tile(x, reps))


@given(shapes, st.integers(0, 3), st.data())
def test_repeat_matches_numpy(shape, repeats, data):
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    x = np.arange(float(np.prod(shape))).reshape(shape)
    np.testing.assert_array_equal(
        nd.repeat(nd.array(x), repeats=repeats, axis=axis).asnumpy(), np.repeat(x, repeats, axis)
    )


def test_every_dtype_is_copied_exactly():
    dtypes = ["float16", "float32", "float64"]
    assert (
        check_forward(
            lambda x: nd.tile(x, reps=(2, 3)),
            lambda x: np.tile(x, (2, 3)),
            [[(2, 3)], [(4,)]],
            dtypes=dtypes,
        )
        == 6
    )
    for dtype in ("uint8", "int8", "int32", "int64", "bool"):
        x = np.array([[0, 1], [1, 0]], dtype)
        np.testing.assert_array_equal(
            nd.tile(nd.array(x, dtype=dtype), reps=2).asnumpy(), np.tile(x, 2)
        )
        np.testing.assert_array_equal(
            nd.repeat(nd.array(x, dtype=dtype), repeats=2).asnumpy(), np.repeat(x, 2)
        )


@pytest.mark.parametrize("reps", [2, (2,), (3, 2), (2, 1, 3), (1, 1)])
def test_tile_gradient_sums_over_the_copies(reps):
    x = np.random.default_rng(0).standard_normal((2, 3))
    check_gradients(
        lambda a: nd.tile(a, reps=reps) * nd.tile(a, reps=reps), [x], order=2, rtol=1e-4
    )
    check_requests(lambda a: nd.tile(a, reps=reps), [x])


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_repeat_gradient_sums_over_the_copies(axis):
    x = np.random.default_rng(0).standard_normal((2, 3))
    check_gradients(lambda a: nd.repeat(a, repeats=3, axis=axis) ** 2, [x], order=2, rtol=1e-4)
    check_requests(lambda a: nd.repeat(a, repeats=3, axis=axis), [x])


def test_gradient_of_empty_result():
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    from opforge import autograd

    with autograd.record():
        y = nd.tile(x, reps=(0,))
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 0]


def test_bad_attributes():
    with pytest.raises(ShapeError, match="negative"):
        nd.tile(nd.ones((2,)), reps=(-1,))
    with pytest.raises(AttributeValueError, match="repeats"):
        nd.repeat(nd.ones((2,)), repeats=-1)
    with pytest.raises(AttributeValueError, match="reps"):
        nd.tile(nd.ones((2,)))
    with pytest.raises(ShapeError, match="axis 2"):
        nd.repeat(nd.ones((2,)), repeats=2, axis=2)
