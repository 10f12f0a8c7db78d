"""Arguments that are not arrays are rejected by name."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import ShapeError
from opforge.ndarray._arguments import expect_array

CALLS = {
    "moveaxis: 'tensor'": lambda: nd.moveaxis(3, 0, 1),
    "onehot_encode: 'indices'": lambda: nd.onehot_encode([1], nd.zeros((1, 2))),
    "onehot_encode: 'out'": lambda: nd.onehot_encode(nd.zeros((1,)), None),
    "to_dlpack_for_read: 'data'": lambda: nd.to_dlpack_for_read(np.ones(3)),
    "to_dlpack_for_write: 'data'": lambda: nd.to_dlpack_for_write("x"),
    "random.uniform: 'out'": lambda: nd.random.uniform(out=True),
    "random.shuffle: 'data'": lambda: nd.random.shuffle(0),
}


@pytest.mark.parametrize("text", CALLS)
def test_non_array_arguments_are_named(text):
    with pytest.raises(TypeError, match=f"nd.{text} must be an NDArray, got"):
        CALLS[text]()


def test_arrays_pass():
    expect_array("f", "x", nd.zeros((1,)))


def test_one_hot_needs_two_dimensions():
    with pytest.raises(ShapeError, match=r"'out' has shape \(3,\), expected 2 dimensions"):
        nd.onehot_encode(nd.zeros((1,)), nd.zeros((3,)))


def test_power_of_huge_plain_numbers_ends():
    with pytest.raises(OverflowError):
        nd.power(2, 10**30)
