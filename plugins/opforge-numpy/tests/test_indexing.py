"""Reading and writing elements against NumPy, for indices of all kinds."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from opforge_numpy.arrays import adopt, ndarray

from opforge import MXNetError, autograd, nd
from opforge.base.numpy_semantics import np_array, np_shape

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def array(values, dtype=None):
    values = np.asarray(values)
    return adopt(nd.array(values, dtype=dtype or values.dtype))


def numbered(shape):
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


def basic(shape):
    return hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True)


@st.composite
def masks(draw, shape):
    """Return an index with a mask over some axes, and slices or ints for others."""
    first = draw(st.integers(0, len(shape)))
    last = draw(st.integers(first, len(shape)))
    mask = draw(hnp.arrays(bool, shape[first:last]))
    before = tuple(slice(None) for _ in range(first))
    after = tuple(
        draw(st.sampled_from([slice(None), slice(1, None), slice(None, None, 2)]))
        for _ in shape[last:]
    )
    return (*before, mask, *after)


@st.composite
def mixed(draw, shape):
    """Return an index of integer arrays, ints and slices."""
    assume(shape and 0 not in shape)
    result = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    items = []
    for length in shape[: draw(st.integers(1, len(shape)))]:
        kind = draw(st.sampled_from(["array", "list", "int", "slice", "none"]))
        if kind in ("array", "list"):
            values = draw(hnp.arrays("int64", result, elements=st.integers(-length, length - 1)))
            items.append(values.tolist() if kind == "list" and values.size else values)
        elif kind == "int":
            items.append(draw(st.integers(-length, length - 1)))
        elif kind == "none":
            items += [None, slice(None)]
        else:
            items.append(draw(st.slices(length)))
    return tuple(items)


@st.composite
def cases(draw):
    shape = draw(SHAPES)
    return shape, draw(st.one_of(basic(shape), masks(shape), mixed(shape)))


def ours(key):
    """Return an index with arrays of np instead of NumPy's."""
    if isinstance(key, tuple):
        return tuple(map(ours, key))
    return array(key) if isinstance(key, np.ndarray) else key


@settings(max_examples=400, deadline=None)
@given(cases())
def test_reading(case):
    shape, key = case
    host = numbered(shape)
    with np_shape(), np_array():
        x = array(host)
        expected = host[key]
        for index in (key, ours(key)):
            found = x[index]
            assert type(found) is ndarray
            assert found.shape == expected.shape
            np.testing.assert_array_equal(found.asnumpy(), expected)


@settings(max_examples=400, deadline=None)
@given(cases(), st.booleans(), st.booleans())
def test_writing(case, is_array, is_number):
    shape, key = case
    host = numbered(shape)
    with np_shape(), np_array():
        x = array(host)
        part = host[key]
        value = np.float32(-1) if is_number else -1 - numbered(part.shape)
        assume(len(np.unique(np.arange(host.size).reshape(shape)[key])) == part.size)
        host[key] = value
        x[ours(key) if is_array else key] = array(value) if is_array else value
        np.testing.assert_array_equal(x.asnumpy(), host)


@settings(max_examples=200, deadline=None)
@given(cases())
def test_gradients_of_reading(case):
    shape, key = case
    host = numbered(shape)
    with np_shape(), np_array():
        x = array(host)
        x.attach_grad()
        with autograd.record():
            y = x[ours(key)]
        y.backward()
        expected = np.zeros_like(host)
        np.add.at(expected, key, 1)
        np.testing.assert_array_equal(x.grad.asnumpy(), expected)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_views_of_views(data):
    host = numbered(data.draw(SHAPES))
    with np_shape(), np_array():
        x = array(host)
        view, wanted = x, host
        for _ in range(3):
            key = data.draw(basic(wanted.shape))
            view, wanted = view[key], wanted[key]
            assert view.shape == wanted.shape
            np.testing.assert_array_equal(view.asnumpy(), wanted)


def test_views_along_the_first_axis_share_memory():
    x = array(numbered((4, 3)))
    x[1:3][0][:] = 7
    np.testing.assert_array_equal(x.asnumpy()[1], [7, 7, 7])
    x[2][None][0, 1] = 9
    assert x[2, 1].item() == 9


SINGLE = [
    True,
    False,
    np.array(True),
    (0, True),
    (slice(None), True),
    (True, np.array([True, False, True])),
    (0, True, True, np.array([True, False, False, True])),
    (False, 1),
]


@pytest.mark.parametrize("key", SINGLE, ids=str)
def test_single_booleans_are_masks(key):
    host = numbered((3, 4))
    x = array(host)
    x.attach_grad()
    with autograd.record():
        y = x[ours(key)]
    y.backward()
    np.testing.assert_array_equal(y.asnumpy(), host[key])
    expected = np.zeros_like(host)
    np.add.at(expected, key, 1)
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)
    changed = array(host)
    changed[ours(key)] = 5
    host[key] = 5
    np.testing.assert_array_equal(changed.asnumpy(), host)


def test_tuples_in_an_index_are_sequences():
    host = numbered((3, 4))
    np.testing.assert_array_equal(array(host)[(0, 2), [1, 3]].asnumpy(), host[[0, 2], [1, 3]])


def test_writing_into_recorded_arrays_is_an_error():
    x = array(numbered(3))
    x.attach_grad()
    with autograd.record(), pytest.raises(MXNetError, match=r"\(\+=, -=, x\[:\]=, etc\)"):
        x[[0, 2]] = array(numbered(2))


@pytest.mark.parametrize(
    ("shape", "mask_shape"), [((3,), (0,)), ((1,), (0,)), ((3, 2), (0,)), ((3, 2), (0, 2))], ids=str
)
def test_masks_without_elements_select_nothing(shape, mask_shape):
    x, mask = np.ones(shape, "float32"), np.zeros(mask_shape, bool)
    assert array(x)[array(mask)].shape == x[mask].shape
    with pytest.raises(IndexError):
        array(x)[array(np.zeros((0, 5, 5), bool))]
