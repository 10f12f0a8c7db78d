"""New arrays of all element types, and invalid shapes."""

from collections import namedtuple

import numpy as np
import pytest

from opforge.base import dtypes
from opforge.base.errors import ShapeError
from opforge.native import array


@pytest.mark.parametrize("code", range(8))
def test_round_trip_of_every_dtype(code):
    source = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtypes.dtype_of(code))
    x = array.from_numpy(source, code)
    assert x.shape == (2, 3)
    assert x.dtype is dtypes.dtype_of(code)
    np.testing.assert_array_equal(x.asnumpy(), source)


@pytest.mark.parametrize("shape", [(-1,), (2, -3), (1,) * 33])
def test_impossible_shapes(shape):
    with pytest.raises(ShapeError):
        array.empty(shape, 0)


@pytest.mark.parametrize("shape", ["ab", 1.5, (1.5,), None, [[1]]])
def test_shapes_of_the_wrong_type(shape):
    with pytest.raises(TypeError, match="shape must be"):
        array.empty(shape, 0)


def test_shape_may_be_a_named_tuple():
    shape = namedtuple("Shape", "height width")(2, 3)
    assert array.zeros(shape).shape == (2, 3)
    assert type(array.zeros(shape).shape) is tuple


@pytest.mark.parametrize("code", [-1, 9])
def test_unknown_element_types(code):
    for make in (array.empty, array.zeros):
        with pytest.raises(TypeError, match=f"dtype code {code} is unknown; expected 0 to 8"):
            make((1,), code)
    with pytest.raises(TypeError, match=f"dtype code {code} is unknown"):
        array.from_numpy(np.zeros(1), code)


@pytest.mark.parametrize("shape", [(2**50,), (2**40, 2**40), (10**20,), (3, 10**20)])
def test_arrays_larger_than_memory_are_rejected(shape):
    with pytest.raises(MemoryError, match="too many elements"):
        array.empty(shape)
