"""Columns and tables of pandas, from arrays and to arrays."""

import operator

import numpy as np
import pytest

from opforge import nd

pd = pytest.importorskip("pandas", reason="a peer: pip install pandas")

VALUES = np.array([[1, 2.5], [3, -4], [5, 6]], "float32")


def test_columns_and_tables_are_made_of_arrays():
    x = nd.array(VALUES)
    pd.testing.assert_frame_equal(pd.DataFrame(x), pd.DataFrame(VALUES))
    pd.testing.assert_frame_equal(
        pd.DataFrame({"a": x[:, 0], "b": x[:, 1]}), pd.DataFrame(VALUES, columns=["a", "b"])
    )
    pd.testing.assert_series_equal(pd.Series(x[:, 1]), pd.Series(VALUES[:, 1]))
    frame = pd.DataFrame(VALUES, columns=["a", "b"]).assign(c=x[:, 0])
    assert frame["c"].tolist() == [1, 3, 5]


def test_arrays_are_made_of_columns_and_tables():
    frame = pd.DataFrame(VALUES, columns=["a", "b"])
    np.testing.assert_array_equal(nd.array(frame).asnumpy(), VALUES)
    np.testing.assert_array_equal(nd.array(frame["b"]).asnumpy(), VALUES[:, 1])
    assert nd.array(frame, dtype="float64").dtype is np.float64
    missing = nd.array(pd.Series([1, None], dtype="Int64")).asnumpy()
    assert missing[0] == 1 and np.isnan(missing[1])
    assert nd.array(pd.Series([True, False])).tolist() == [1, 0]
    with pytest.raises(TypeError, match="must hold numbers"):
        nd.array(pd.Series(["a"]))


def test_arithmetic_with_a_column_is_the_columns():
    x, column = nd.array(VALUES[:, 0]), pd.Series(VALUES[:, 1], index=list("abc"))
    for found, wanted in [
        (column + x, column + VALUES[:, 0]),
        (x - column, VALUES[:, 0] - column),
        (x * column, VALUES[:, 0] * column),
    ]:
        pd.testing.assert_series_equal(found, wanted)


def test_arithmetic_is_that_of_the_elements(binary_operator):
    """Comparisons give booleans, which select rows, not 0 and 1; types are those of pandas."""
    x = nd.array([2, 4, 1])
    values = x.asnumpy()
    column = pd.Series([1.0, 4.0, 2.0], index=list("abc"))
    pd.testing.assert_series_equal(binary_operator(column, x), binary_operator(column, values))
    pd.testing.assert_series_equal(binary_operator(x, column), binary_operator(values, column))
    frame, row = pd.DataFrame({"a": [1, 2], "b": [3, 4]}), nd.array([1, 3])
    for left, right, wanted in [
        (frame, row, binary_operator(frame, row.asnumpy())),
        (row, frame, binary_operator(row.asnumpy(), frame)),
    ]:
        pd.testing.assert_frame_equal(binary_operator(left, right), wanted)
    pd.testing.assert_index_equal(
        pd.Index(binary_operator(pd.Index([1.0, 2, 3]), x)),
        pd.Index(binary_operator(pd.Index([1.0, 2, 3]), values)),
    )


def test_rows_are_chosen_by_comparison():
    frame = pd.DataFrame({"a": [1.0, 5.0, 3.0]})
    assert frame[frame["a"] > nd.array([0, 9, 2])]["a"].tolist() == [1, 3]
    assert frame[nd.array([0, 9, 2]) < frame["a"]]["a"].tolist() == [1, 3]


def test_lengths_that_differ_are_an_error_of_pandas():
    column, x = pd.Series([1.0, 2, 3]), nd.array([1, 2])
    for call in (lambda: column + x, lambda: x + column):
        with pytest.raises(ValueError, match="broadcast"):
            call()
    with pytest.raises(ValueError, match="Lengths must match"):
        operator.gt(column, x)


def test_a_column_added_in_place_is_a_column():
    x = nd.array([1, 2])
    before = x
    x += pd.Series([1.0, 2])
    assert x.tolist() == [2, 4] and isinstance(x, pd.Series)
    assert before.tolist() == [1, 2]


def test_products_with_a_table_are_the_tables():
    frame, x = pd.DataFrame([[1.0, 2], [3, 4]]), nd.array([[0, 1], [1, 0]])
    pd.testing.assert_frame_equal(frame @ x, frame @ x.asnumpy(), check_dtype=False)
    pd.testing.assert_frame_equal(x @ frame, x.asnumpy() @ frame, check_dtype=False)
