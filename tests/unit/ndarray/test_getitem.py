"""Reading parts: which ones share memory, and their gradients."""

import numpy as np
import pytest

from opforge import autograd, nd, np_shape

KEYS = [
    1,
    -1,
    (1, 2),
    (0, 1, 3),
    slice(1, 2),
    (slice(None), slice(1, 3)),
    (slice(None), 0),
    (slice(None, None, -1), slice(None, None, 2)),
    (None, 1),
    [0, 0, 1],
    ([0, 1], [2, 0]),
    (slice(None), [0, 0]),
    ([1, 0], slice(None), [0, 3]),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_values_and_gradient(key):
    values = np.random.standard_normal((2, 3, 4)).astype("float32")
    x = nd.array(values)
    x.attach_grad()
    with autograd.record():
        part = x[key]
    want = values[key]
    np.testing.assert_array_equal(part.asnumpy(), want if want.ndim else want.reshape(1))
    weights = np.random.standard_normal(part.shape).astype("float32")
    part.backward(nd.array(weights))
    expected = np.zeros_like(values)
    np.add.at(expected, key, weights.reshape(want.shape))
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-6)


MASK = np.array([[True, False, True], [False, False, True]])


@pytest.mark.parametrize("make", [np.array, np.ndarray.tolist, lambda x: nd.array(x, dtype="bool")])
@pytest.mark.parametrize(
    "key",
    [lambda m: m(MASK[0]), lambda m: (slice(None), m(MASK[0])), lambda m: (1, ..., m(MASK[1]))],
)
def test_booleans_select_and_are_differentiable(make, key):
    values = np.random.standard_normal((3, 3, 3)).astype("float32")
    x = nd.array(values)
    x.attach_grad()
    with autograd.record():
        part = x[key(make)]
    np.testing.assert_array_equal(part.asnumpy(), values[key(np.array)])
    part.backward()
    expected = np.zeros_like(values)
    expected[key(np.array)] = 1
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)


def test_a_mask_of_several_axes_and_one_without_a_hit():
    x = nd.arange(6).reshape((2, 3))
    assert x[MASK].asnumpy().tolist() == [0, 2, 5]
    assert x[nd.array(MASK, dtype="bool")].asnumpy().tolist() == [0, 2, 5]
    assert x[np.zeros(2, bool)].shape == (0, 3)
    x.attach_grad()
    with autograd.record():
        assert x[:, nd.zeros(3, dtype="bool")].shape == (2, 0)
    with pytest.raises(IndexError, match="boolean index of shape"):
        x[np.ones(3, bool)]


@pytest.mark.parametrize("axes", [2, 3])
def test_masks_of_the_first_axes_and_their_gradients(axes):
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    mask = np.random.default_rng(axes).random(values.shape[:axes]) > 0.4
    for key in (mask, mask.tolist(), nd.array(mask, dtype="bool")):
        x = nd.array(values)
        x.attach_grad()
        with autograd.record():
            part = x[key]
        np.testing.assert_array_equal(part.asnumpy(), values[mask])
        part.backward()
        np.testing.assert_array_equal(x.grad.asnumpy()[mask], np.ones_like(values[mask]))
        assert x.grad.asnumpy()[~mask].sum() == 0
        np.testing.assert_array_equal(nd.array(values)[key].asnumpy(), values[mask])
    assert nd.array(values)[np.zeros((2, 3), bool)].shape == (0, 4)
    assert nd.zeros((2, 0))[np.zeros((2, 0), bool)].shape == (0,)


def test_second_order_through_a_view():
    x = nd.array([1.0, 2.0, 3.0])
    x.attach_grad()
    with autograd.record():
        y = x[1:] ** 3
        (dx,) = autograd.grad(y, x, create_graph=True)
    dx.backward()
    assert x.grad.asnumpy().tolist() == [0, 12, 18]


@pytest.mark.parametrize("key", [0, slice(1, 3), (1, slice(0, 2)), (2, 3), (slice(1, 2), 1), None])
def test_contiguous_parts_are_views(key):
    x = nd.zeros((3, 4))
    x[key][:] = 1
    twin = np.zeros((3, 4))
    twin[key] = 1
    np.testing.assert_array_equal(x.asnumpy(), twin)


@pytest.mark.parametrize("key", [(slice(None), 0), slice(None, None, 2), [0, 1]])
def test_other_parts_are_copies(key):
    x = nd.zeros((3, 4))
    x[key][:] = 1
    assert not x.asnumpy().any()


def test_whole_is_the_array_itself():
    x, scalar = nd.zeros((2, 2)), nd.array(1)
    assert x[:] is x and x[()] is x and scalar[()] is scalar and scalar[...] is scalar
    with pytest.raises(IndexError, match="scalar tensor"):
        scalar[0]


def test_large_table_is_not_unrolled():
    # A few rows of a large table must not use memory in proportion to the table's size.
    x = nd.zeros((1 << 20, 4), dtype="int8")
    assert x[[0, 5, -1]].shape == (3, 4)


def test_empty_parts():
    x = nd.zeros((3, 4))
    assert x[1:1].shape == (0, 4) and x[2:1].shape == (0, 4) and x[:, 4:].shape == (3, 0)
    assert x[[]].shape == (0, 4)


def test_an_element_has_numpys_shape_where_that_is_on():
    x = nd.array([1.0, 2.0, 3.0])
    x.attach_grad()
    with np_shape():
        assert (x[0].shape, x[-1].shape, nd.ones((2, 2))[1, 0].shape) == ((), (), ())
        assert [part.shape for part in x] == [(), (), ()]
        assert x[1:2].shape == (1,)
        with autograd.record():
            y = x[1] * 3
        y.backward()
        with pytest.raises(IndexError, match="scalar tensor"):
            x[0][0]
    assert y.shape == ()
    assert x.grad.asnumpy().tolist() == [0, 3, 0]
    assert x[0].shape == (1,)


def test_writing_to_an_element_under_numpys_shapes():
    x = nd.array([1.0, 2.0, 3.0])
    with np_shape():
        x[0] = 9
        x[1] = x[0]
        view = x[2]
        view[()] = 7
    assert x.asnumpy().tolist() == [9, 9, 7]


@pytest.mark.parametrize("shape", [(3, 0), (3, 0, 2), (0, 4)])
@pytest.mark.parametrize("key", [slice(None), slice(0, 0), (slice(None), slice(None, None, 2))])
def test_gradient_of_no_elements(shape, key):
    x = nd.ones(shape)
    x.attach_grad()
    with autograd.record():
        y = x[key]
    y.backward()
    assert y.shape == np.ones(shape)[key].shape and x.grad.shape == shape


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
def test_index_arrays_of_any_type(dtype):
    x = nd.array(np.arange(12).reshape(4, 3))
    x.attach_grad()
    rows = nd.array([[0, 3], [3, 1]], dtype=dtype)
    np.testing.assert_array_equal(x[rows].asnumpy(), x.asnumpy()[[[0, 3], [3, 1]]])
    with autograd.record():
        y = x[rows]
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy()[:, 0], [1, 1, 0, 2])
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        x[nd.array([0, 4], dtype=dtype)]
