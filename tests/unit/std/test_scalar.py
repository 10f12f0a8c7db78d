"""Arithmetic with numbers: on either side, integers and large ones."""

import numpy as np
import pytest

from opforge import nd
from opforge.op.registry.registry import lookup


def test_the_number_on_the_left():
    x = nd.array([2.0, 4.0])
    assert (1 - x).asnumpy().tolist() == [-1, -3]
    assert (8 / x).asnumpy().tolist() == [4, 2]
    assert (2**x).asnumpy().tolist() == [4, 16]
    assert (5 % x).asnumpy().tolist() == [1, 1]
    assert (x > 3).asnumpy().tolist() == [0, 1]


def test_integers_stay_integers():
    x = nd.array([1, 2, 5], dtype="int32")
    assert (x / 2).asnumpy().tolist() == [0, 1, 2]
    assert (x + 0.9).asnumpy().tolist() == [1, 2, 5]
    assert (x > 1).dtype is np.int32


def test_large_integers_are_exact():
    big = 2**62 + 1
    x = nd.array([0], dtype="int64")
    assert int((x + big).asscalar()) == big


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("_plus_scalar", "_PlusScalar"),
        ("_rminus_scalar", "_RMinusScalar"),
        ("_rpower_scalar", "_RPowerScalar"),
        ("_greater_equal_scalar", "_GreaterEqualScalar"),
    ],
)
def test_names_of_old_programs(name, alias):
    assert lookup(alias).prop_class is lookup(name).prop_class
