"""Indices: out of bounds, repeated, of wrong shapes."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import AttributeValueError, IndexRangeError, ShapeError


def test_modes_of_take():
    x, places = nd.array([10, 20, 30]), nd.array([-1, 4])
    assert nd.take(x, places).asnumpy().tolist() == [10, 30]
    assert nd.take(x, places, mode="wrap").asnumpy().tolist() == [30, 20]
    with pytest.raises(IndexError, match="index -1 at position 0"):
        nd.take(x, places, mode="raise")
    with pytest.raises(AttributeValueError, match="mode"):
        nd.take(x, places, mode="guess")


def test_repeated_rows_add_their_gradients():
    w = nd.zeros((3, 2))
    w.attach_grad()
    with autograd.record():
        y = nd.take(w, nd.array([0, 2, 0]))
    y.backward()
    assert w.grad.asnumpy().tolist() == [[2, 2], [0, 0], [1, 1]]


def test_one_hot_outside_is_off():
    have = nd.one_hot(nd.array([1, 3, -1]), 3, dtype="int32")
    assert have.dtype is np.int32 and have.asnumpy().tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_pick_over_the_flattened_array():
    assert nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([2, 0]), axis=None).asnumpy().tolist() == [
        3,
        1,
    ]


def test_shape_errors():
    x = nd.zeros((2, 3))
    with pytest.raises(ShapeError, match="'index' has shape"):
        nd.pick(x, nd.zeros(3))
    with pytest.raises(ShapeError, match="expected"):
        nd.batch_take(x, nd.zeros(3))


def test_fill_element_checks_rows_and_indices():
    x = nd.zeros((2, 3))
    filled = nd.fill_element_0index(x, nd.array([7, 8]), nd.array([2, 0]))
    assert filled.asnumpy().tolist() == [[0, 0, 7], [8, 0, 0]]
    with pytest.raises(IndexRangeError, match="contains 0 to 3, expected 0 to 2"):
        nd.fill_element_0index(x, nd.array([7, 8]), nd.array([3, 0]))
    with pytest.raises(ShapeError, match=r"'mhs' \(3,\)"):
        nd.fill_element_0index(x, nd.ones(3), nd.ones(2))


def test_pick_without_indices_names_the_shapes():
    with pytest.raises(ShapeError, match=r"'index' has shape \(0,\), expected \(1,\)"):
        nd.pick(nd.ones((1, 1)), nd.zeros((0,)))
    assert nd.pick(nd.ones((0, 3)), nd.zeros((0,))).shape == (0,)
