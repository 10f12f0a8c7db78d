"""Sorting and diagonals."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import AttributeValueError, ShapeError


def test_equal_elements_keep_their_order():
    x = nd.array([2, 1, 2, 1])
    assert nd.argsort(x).asnumpy().tolist() == [1, 3, 0, 2]
    assert nd.argsort(x, is_ascend=False).asnumpy().tolist() == [0, 2, 1, 3]
    assert nd.topk(x, k=3).asnumpy().tolist() == [0, 2, 1]


def test_topk():
    x = nd.array([[1, 3, 2]])
    values, places = nd.topk(x, k=2, ret_typ="both", dtype="int32")
    assert values.asnumpy().tolist() == [[3, 2]] and places.asnumpy().tolist() == [[1, 2]]
    assert places.dtype is np.int32
    assert nd.topk(x, k=0, ret_typ="value").shape == (1, 3)  # all of them
    assert nd.topk(x, 1, 2, "value").asnumpy().tolist() == [[3, 2]]  # axis, then k
    for ret_typ in ("value", "mask"):
        with pytest.raises(ShapeError, match="k is 9, expected at most 3"):
            nd.topk(x, k=9, ret_typ=ret_typ)
    with pytest.raises(AttributeValueError, match="ret_typ"):
        nd.topk(x, ret_typ="everything")
    with pytest.raises(ShapeError, match="axis 2"):
        nd.sort(x, axis=2)


def test_integers_sort_in_both_directions():
    x = nd.array([0, 255, 7], dtype="uint8")
    assert nd.sort(x, is_ascend=False).asnumpy().tolist() == [255, 7, 0]


def test_diagonals():
    x = nd.array(np.arange(6).reshape(2, 3))
    assert nd.diag(x, k=1).asnumpy().tolist() == [1, 5]
    assert nd.diag(x, k=3).shape == nd.diag(x, k=-2).shape == (0,)
    for k in (4, -3):
        with pytest.raises(ShapeError, match=f"k is {k}, expected -2 to 3"):
            nd.diag(x, k=k)
    assert nd.diag(nd.array([1, 2]), k=-1).asnumpy().tolist() == [[0, 0, 0], [1, 0, 0], [0, 2, 0]]


def test_nan_is_greater_than_all_numbers():
    x = nd.array([1, float("nan"), 3, 2])
    assert nd.argsort(x).asnumpy().tolist() == [0, 3, 2, 1]
    assert nd.argsort(x, is_ascend=False).asnumpy().tolist() == [1, 2, 3, 0]
    assert nd.topk(x, k=2).asnumpy().tolist() == [1, 2]
    assert nd.topk(x, k=2, is_ascend=True).asnumpy().tolist() == [0, 3]
    assert nd.topk(x, k=2, ret_typ="mask").asnumpy().tolist() == [0, 1, 1, 0]
    assert nd.sort(x).asnumpy()[:3].tolist() == [1, 2, 3]
    # Like max and min, these select NaN.
    assert nd.argmax(x, axis=0).asscalar() == nd.argmin(x, axis=0).asscalar() == 1
