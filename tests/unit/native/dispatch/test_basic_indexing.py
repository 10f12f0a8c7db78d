"""Reads and writes of contiguous elements, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge import MXNetError, autograd, nd
from opforge.native.dispatch.basic_indexing import (
    are_positions,
    read_adjacent,
    read_rows,
    row_positions,
    write_adjacent,
)

SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)
BOUNDS = st.none() | st.integers(-6, 6)
ITEMS = st.integers(-5, 5) | st.builds(slice, BOUNDS, BOUNDS, st.sampled_from([None, 1, 2, -1]))
KEYS = ITEMS | st.lists(ITEMS, max_size=5).map(tuple)


def twin_of(shape):
    return np.arange(int(np.prod(shape)), dtype="f").reshape(shape)


@given(SHAPES, KEYS)
def test_reads_match_numpy_or_are_not_handled(shape, key):
    twin = twin_of(shape)
    x = nd.array(twin)
    part = read_adjacent(x, key)
    if part is None:
        return
    expected = twin[key]
    assert part.shape == (expected.shape or (1,))
    np.testing.assert_array_equal(part.asnumpy().reshape(expected.shape), expected)
    assert part.size == 0 or part._shares_memory(x)


@given(SHAPES, KEYS, st.booleans())
def test_writes_match_numpy_or_are_not_handled(shape, key, whole):
    twin = twin_of(shape)
    x = nd.array(twin)
    try:
        part = twin[key]
    except (IndexError, ValueError):
        assert not write_adjacent(x, key, 7)
        return
    value = nd.full(part.shape or (1,), -3) if whole else 7.0
    if write_adjacent(x, key, value):
        twin[key] = -3 if whole else 7
    np.testing.assert_array_equal(x.asnumpy(), twin)


@pytest.mark.parametrize(
    "key",
    [0, -1, slice(1, 3), slice(None), (1, 2), (1,), (2, slice(1, 2)), (slice(1, 2), slice(0, 2))],
    ids=str,
)
def test_frequent_keys_are_handled(key):
    x = nd.array(twin_of((3, 4)))
    assert read_adjacent(x, key) is not None
    assert write_adjacent(x, key, 1)
    assert float(np.sum(x[key].asnumpy() != 1)) == 0


@pytest.mark.parametrize(
    "key", [True, None, Ellipsis, 3, -4, 1 << 70, "a", 1.0, (0, 0, 0), [0], np.int64(1)], ids=repr
)
def test_other_keys_are_not_handled(key):
    x = nd.array(twin_of((3, 4)))
    assert read_adjacent(x, key) is None
    assert not write_adjacent(x, key, 1)


def test_other_values_are_not_handled():
    x = nd.zeros((3, 4))
    for value in (True, "1", None, [1], np.float32(1), nd.zeros((3,)), nd.zeros((1, 4))):
        assert not write_adjacent(x, 0, value)
    assert not x.asnumpy().any()


def test_integers_are_exact_and_types_convert():
    x = nd.zeros((2,), dtype="int64")
    x[0] = (1 << 62) + 1
    x[1:] = nd.array([2.5])
    assert x.asnumpy().tolist() == [(1 << 62) + 1, 2]


def test_rows_copied_within_one_array():
    x = nd.array(twin_of((4, 2)))
    x[1:4] = x[0:3]
    assert x.asnumpy().tolist() == [[0, 1], [0, 1], [2, 3], [4, 5]]


def test_recording():
    x = nd.ones((3,))
    x.attach_grad()
    with autograd.record():
        assert read_adjacent(x, 0) is None
        with pytest.raises(MXNetError, match="Inplace"):
            write_adjacent(x, 0, 1)
        assert not write_adjacent(nd.zeros((3,)), slice(None), x * 2)
        assert read_adjacent(nd.zeros((3,)), 0) is not None


def test_row_positions():
    x = row_positions(np.array([[0, -1], [2, -3]]), 3, nd.zeros((1,)).context)
    assert x.asnumpy().tolist() == [[0, 2], [2, 0]]
    for wrong in (3, -4, -(1 << 63)):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 0"):
            row_positions(np.array([0, wrong]), 3, x.context)


@pytest.mark.parametrize(
    "index", [[0, 2], np.array([[1], [-1]]), range(2), np.array(1), []], ids=str
)
def test_rows_by_lists(index):
    twin = twin_of((3, 2))
    key = np.asarray(index, np.int64)
    result = nd.array(twin)[index].asnumpy()
    np.testing.assert_array_equal(result.reshape(twin[key].shape), twin[key])
    with pytest.raises(IndexError):
        nd.array(twin)[[3]]


@pytest.mark.parametrize(
    ("indices", "dtype", "expected"),
    [
        ([0, 2, 1], "int64", True),
        ([], "int64", True),
        ([0, 3], "int64", False),
        ([0, -1], "int64", False),
        ([0, -(2**63)], "int64", False),
        ([0, 2**63 - 1], "int64", False),
        ([0, 1], "int32", False),
        ([0, 1], "float32", False),
    ],
)
def test_which_indices_are_positions(indices, dtype, expected):
    assert are_positions(nd.array(np.array(indices, dtype), dtype=dtype), 3) == expected


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("index", [[0, 2, 2], [[1], [0]], []], ids=str)
@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 5)], ids=str)
def test_rows_at_indices(dtype, index, shape):
    twin, key = twin_of(shape), np.array(index, dtype)
    rows = read_rows(nd.array(twin), nd.array(key, dtype=dtype))
    assert rows.shape == twin[key].shape
    np.testing.assert_array_equal(rows.asnumpy(), twin[key])


@pytest.mark.parametrize(
    ("indices", "dtype"),
    [([0, 3], "int64"), ([-1], "int32"), ([0.0], "float32"), ([1], "uint8"), ([True], "bool")],
)
def test_other_indices_of_rows_are_not_handled(indices, dtype):
    assert read_rows(nd.zeros((3, 2)), nd.array(np.array(indices), dtype=dtype)) is None


def test_masks_of_integers_are_not_read_as_rows():
    labels = nd.array([0, 1, 0], dtype="int32")
    assert read_rows(nd.zeros((3, 2)), labels == 1) is None


def test_recorded_rows_are_not_handled():
    x, key = nd.ones((3, 2)), nd.array([0, 2], dtype="int64")
    x.attach_grad()
    with autograd.record():
        assert read_rows(x, key) is None
        y = x[key]
    y.backward()
    assert x.grad.asnumpy().tolist() == [[1, 1], [0, 0], [1, 1]]


def test_rows_at_scalars_are_not_handled():
    assert read_rows(nd.zeros((3,)), nd.array(np.array(1), dtype="int64")._view(0, ())) is None
    assert read_rows(nd.zeros((1,))._view(0, ()), nd.array([0], dtype="int64")) is None
