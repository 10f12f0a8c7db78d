"""Writing parts: every kind of key with every kind of value, against NumPy."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError

KEYS = [
    slice(None),
    1,
    -1,
    slice(0, 2),
    slice(None, None, 2),
    slice(None, None, -1),
    (slice(None), 1),
    (1, slice(1, 3)),
    (1, 2),
    (Ellipsis, -1),
    (None, 1),
    [0, 2],
    ([0, 2], [1, 3]),
    (slice(None), [0, 3]),
]
KINDS = {
    "int": lambda shape: 7,
    "float": lambda shape: 2.5,
    "numpy scalar": lambda shape: np.float64(1.5),
    "bool": lambda shape: True,
    "list": lambda shape: np.full(shape, 3.0).tolist(),
    "numpy": lambda shape: np.random.standard_normal(shape),
    "one": lambda shape: np.array([4.0]),
    "trailing": lambda shape: np.arange(shape[-1] if shape else 1, dtype=float),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_assignment_matches_numpy(key, kind, dtype):
    twin = np.arange(12).reshape(3, 4).astype(dtype)
    value = KINDS[kind](twin[key].shape)
    x = nd.array(twin, dtype=dtype)
    x[key] = value
    plain = np.asarray(value)
    twin[key] = plain.reshape(()) if plain.size == 1 else plain
    np.testing.assert_array_equal(x.asnumpy(), twin)
    y = nd.array(np.arange(12).reshape(3, 4), dtype=dtype)
    y[key] = nd.array(plain, dtype=dtype if kind == "numpy" and dtype == "int32" else "float64")
    np.testing.assert_array_equal(y.asnumpy(), twin)


@pytest.mark.parametrize(
    ("key", "shape"), [(slice(None), (3,)), (1, (3,)), ((slice(None), 1), (4,)), (0, (4, 1))]
)
@pytest.mark.parametrize("make", [nd.zeros, np.zeros])
def test_shapes_that_do_not_broadcast(key, shape, make):
    x = nd.zeros((3, 4))
    with pytest.raises(ValueError, match="broadcast"):
        x[key] = make(shape)


def test_other_errors():
    x = nd.zeros((3, 4))
    with pytest.raises(IndexError, match="out of bounds"):
        x[3] = 1
    with pytest.raises(IndexError, match="out of bounds"):
        x[[5]] = 1
    for value in ("text", object(), None):
        with pytest.raises(TypeError, match="does not support assignment"):
            x[0] = value
    with pytest.raises(IndexError, match="scalar tensor"):
        nd.array(1)[0] = 2


def test_scalar_and_empty_arrays():
    x = nd.array(1)
    x[()] = 4
    assert x.asscalar() == 4
    x[:] = nd.array([5])
    assert x.asscalar() == 5
    empty = nd.zeros((0, 3))
    empty[:] = 1
    empty[0] = 1  # as in MXNet: nothing to write and no error
    assert empty.size == 0


def test_overlapping_source():
    x = nd.arange(6)
    x[1:] = x[:-1]
    assert x.asnumpy().tolist() == [0, 0, 1, 2, 3, 4]
    y = nd.arange(6)
    y[::2] = y[:3]
    assert y.asnumpy().tolist() == [0, 1, 1, 3, 2, 5]


def test_whole_assignment_is_recorded():
    x, y = nd.array([1, 2]), nd.zeros((2, 2))
    x.attach_grad()
    with autograd.record():
        y[:] = x * 3
        z = y * nd.array([[1, 2], [3, 4]])
    z.backward()
    assert x.grad.asnumpy().tolist() == [12, 18]


def test_partial_assignment_of_a_recorded_array_is_rejected():
    x, y = nd.array([1, 2]), nd.zeros((2, 2))
    x.attach_grad()
    with autograd.record(), pytest.raises(OpforgeError, match="Inplace"):
        y[0] = x * 3


@pytest.mark.parametrize("make", [np.array, np.ndarray.tolist, lambda x: nd.array(x, dtype="bool")])
def test_booleans_select_what_is_written(make):
    mask, values = np.array([[True, False, True], [False, False, True]]), np.arange(6).reshape(2, 3)
    for key, value in (
        (lambda m: m(mask), 9),
        (lambda m: m(mask), [7, 8, 9]),
        (lambda m: m(mask[:, 0]), 9),
        (lambda m: (slice(None), m(mask[0])), [[1, 2], [3, 4]]),
        (lambda m: m(~mask & mask), 9),
    ):
        x, expected = nd.array(values), values.copy()
        x[key(make)] = value
        expected[key(np.array)] = value
        np.testing.assert_array_equal(x.asnumpy(), expected)


@pytest.mark.parametrize("key", [(np.array(1), 2), np.array(1), (0, [1]), ([0, 1], 2), [1]])
def test_values_of_shape_1(key):
    x, expected = nd.zeros((2, 3)), np.zeros((2, 3), "float32")
    x[key] = np.array([5.0])
    expected[(*key, ...) if isinstance(key, tuple) else (key, ...)] = np.array([5.0])
    np.testing.assert_array_equal(x.asnumpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "int64", "bool"])
def test_numbers_at_masks_of_all_elements(dtype):
    mask = np.random.default_rng(8).random((3, 40)) > 0.5
    for key in (mask, nd.array(mask, dtype="bool"), mask.T.copy().T, mask.tolist()):
        for value in (3, 1.75, np.float32(0)):
            x = nd.ones((3, 40), dtype=dtype)
            expected = x.asnumpy()
            expected[mask] = value
            x[key] = value
            np.testing.assert_array_equal(x.asnumpy(), expected)
    rows = nd.zeros((4, 2))
    rows[1:3][np.array([[True, False], [False, True]])] = 5
    assert rows.asnumpy().tolist() == [[0, 0], [5, 0], [0, 5], [0, 0]]
