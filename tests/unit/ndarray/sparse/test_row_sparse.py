import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge import nd
from opforge.base.errors import ShapeError


@given(st.lists(st.booleans(), max_size=6), st.sampled_from([(), (2,), (2, 3)]))
def test_any_array_comes_back(stored, inner):
    values = np.zeros((len(stored), *inner), np.float32)
    values[np.array(stored, bool)] = 2
    array = nd.array(values).tostype("row_sparse")
    array.check_format()
    np.testing.assert_array_equal(array.asnumpy(), values)
    assert array.data.shape == (sum(stored), *inner)


def test_rows_that_meet_add_up():
    array = nd.sparse.row_sparse_array(([[1, 2], [3, 4], [5, 6]], [2, 0, 2]), shape=(3, 2))
    assert array.asnumpy().tolist() == [[3, 4], [0, 0], [6, 8]]


def test_it_has_no_indexing_but_keeps_rows(values):
    array = nd.array(values).tostype("row_sparse")
    assert array[:] is array
    with pytest.raises(ValueError, match=r"x\[:\] is the only index"):
        array[0]
    assert array.retain(nd.array([0, 1, 3])).indices.asnumpy().tolist() == [0, 3]


def test_an_array_without_axes_has_no_rows():
    with pytest.raises(ShapeError, match="at least one axis"):
        nd.zeros(()).tostype("row_sparse")
