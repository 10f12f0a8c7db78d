"""Copies between arrays, and memory that is taken over."""

import numpy as np
import pytest

from opforge.base.errors import ShapeError
from opforge.native import array


def test_copy_into_converts_and_checks_sizes():
    target = array.zeros((2, 2), 4)
    array.copy_into(target, array.from_numpy(np.arange(4.0), 1))
    assert target.asnumpy().tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ShapeError, match="sizes differ"):
        array.copy_into(target, array.zeros((3,), 0))


def test_overlapping_copies():
    x = array.from_numpy(np.arange(6.0), 0)
    array.copy_into(x._view(1, (5,)), x._view(0, (5,)))
    assert x.asnumpy().tolist() == [0, 0, 1, 2, 3, 4]
