"""Numbers in text: read as by Python, in all notations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge.native.array.number_text import read_dense_rows, read_sparse_rows

WRITTEN = st.one_of(
    st.floats().map(repr),
    st.floats().map("{:.3f}".format),
    st.floats().map("{:.25e}".format),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,6})?", fullmatch=True),
    st.sampled_from(["inf", "-Infinity", "nan", "1e23", "9007199254740993", "1e999999999999"]),
)


def number_of(text):
    try:
        return float(text)
    except ValueError:
        return None


@given(WRITTEN)
def test_numbers_are_read_as_in_python(text):
    out = np.empty((1, 1))
    count, stop = read_dense_rows(text.encode(), out, -np.inf, np.inf)
    expected = number_of(text)
    if expected is None:
        assert (count, stop) == (0, -1 if not text else 0)
    else:
        assert (count, stop) == (1, -1)
        np.testing.assert_array_equal(out[0, 0], expected)
        assert np.signbit(out[0, 0]) == np.signbit(expected)


@given(st.integers(-(2**70), 2**70), st.sampled_from(["", "+", "0", "000"]))
def test_integers(number, before):
    text = f"{before if number >= 0 else ''}{number}".encode()
    out = np.empty((1, 1), np.int64)
    count, stop = read_dense_rows(text, out, -(2**63), 2**63 - 1)
    assert (count, stop) == ((1, -1) if -(2**63) <= number < 2**63 else (0, 0))
    assert count == 0 or out[0, 0] == number


def test_surplus_rows_are_not_written():
    out = np.zeros((3, 2))
    assert read_dense_rows(b"1,2\n3,4\n5,6", out[:2], -9, 9) == (2, 8)
    assert out.tolist() == [[1, 2], [3, 4], [0, 0]]
    for room in (np.zeros((0, 2)), np.zeros((2, 0))):
        assert read_dense_rows(b"1,2", room, -9, 9) == (0, 0)
    assert read_dense_rows(b"", out, -9, 9) == (0, -1)


def test_invalid_arguments_are_rejected():
    for text, out in ((None, np.zeros((1, 1))), ("1", np.zeros((1, 1))), (b"1", None)):
        with pytest.raises(TypeError):
            read_dense_rows(text, out, 0, 9)
    with pytest.raises(TypeError):
        read_sparse_rows("1 2:3", 4)
    with pytest.raises((TypeError, ValueError)):
        read_dense_rows(b"1", np.zeros((1, 1), np.float32), 0, 9)


def test_sparse_rows_stop_at_malformed_words():
    assert read_sparse_rows(b"", 3)[-2:] == (True, -1)
    assert read_sparse_rows(b"1 2:1 0:1\n", 3)[-2:] == (False, -1)
    labels, values, columns, bounds, offsets, _, stop = read_sparse_rows(b"1 0:1\n2 1:1 3:1", 3)
    assert stop == 12
    assert (labels.tolist(), columns.tolist(), bounds.tolist()) == ([1], [0], [0, 1])
    assert (values.tolist(), offsets.tolist()) == ([1], [0])
    assert read_sparse_rows(b"1 0:1", np.nan)[-1] == 2
