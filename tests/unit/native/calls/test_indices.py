"""Index arrays of any type, converted to integers in range."""

import numpy as np
import pytest

from opforge.base.dtypes import NAMES
from opforge.base.errors import AttributeValueError, IndexRangeError, ShapeError
from opforge.native.calls import indexing

from ..arrays import array_of


def taken(index, mode):
    """Return the numbers 0, 1, 2 at `index`."""
    out = array_of(np.zeros(len(index), np.float32))
    indexing.take(array_of(np.arange(3, dtype=np.float32)), array_of(index), out, 0, mode)
    return out.asnumpy().tolist()


@pytest.mark.parametrize("dtype", [name for name in NAMES if name != "bool"])
def test_every_type_and_mode(dtype):
    index = np.array([2, 0, 5, 1]).astype(dtype)
    assert taken(index, "clip") == [2, 0, 2, 1]
    assert taken(index, "wrap") == [2, 0, 2, 1]
    assert taken(index[[0, 1, 3]], "raise") == [2, 0, 1]


def test_negative_indices():
    assert taken(np.array([-1, -3, -7]), "clip") == [0, 0, 0]
    assert taken(np.array([-1, -3, -7]), "wrap") == [2, 0, 2]


def test_errors_name_position_and_length():
    x = array_of(np.zeros((3, 2), np.float32))
    index = array_of(np.array([0, 5]))
    out = array_of(np.zeros((2, 2), np.float32))
    with pytest.raises(IndexRangeError, match=r"take: index 5 at position 1 is not in \[0, 3\)"):
        indexing.take(x, index, out, 0, "raise")
    with pytest.raises(AttributeValueError, match="mode 'x' is unknown"):
        indexing.take(x, index, out, 0, "x")
    with pytest.raises(ShapeError, match="axis of length 0"):
        indexing.take(array_of(np.zeros((0, 2), np.float32)), index, out)
    with pytest.raises(IndexRangeError, match="gather_nd: index 5"):
        indexing.gather_nd(x, array_of(np.array([[0, 5]])), out)
    with pytest.raises(ShapeError, match="gather_nd: 'indices' has shape"):
        indexing.gather_nd(x, array_of(np.zeros((3, 1))), out)


def test_indices_in_range_are_not_changed():
    index = array_of(np.array([2, 0, 1]))
    out = array_of(np.zeros(3, np.float32))
    for mode in ("clip", "wrap", "raise"):
        indexing.take(array_of(np.arange(3, dtype=np.float32)), index, out, 0, mode)
        assert out.asnumpy().tolist() == index.asnumpy().tolist() == [2, 0, 1]
