"""Elements to and from NumPy: types, layouts, sizes on both sides of the threshold."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import CODES, NAMES
from opforge.native.array import array

SIZES = [5, 1 << 17]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_types_convert_as_numpys(source, target, size):
    values = (np.arange(size) % 100).astype(source)
    result = array.from_numpy(values, CODES[target])
    np.testing.assert_array_equal(result.asnumpy(), values.astype(target))
    other = array.empty((size,), CODES[target])
    array.copy_into(other, array.from_numpy(values, CODES[source]))
    np.testing.assert_array_equal(other.asnumpy(), values.astype(target))


@pytest.mark.parametrize("source", ["u2", "i2", "u4", "u8", "g", ">f4", ">i8"])
def test_types_that_arrays_lack_convert_too(source):
    values = (np.arange(1000) % 100).astype(source)
    assert array.from_numpy(values, 0).asnumpy().tolist() == values.astype("f").tolist()


LAYOUTS = {
    "strided": lambda v: v[:, ::2],
    "backwards": lambda v: v[::-1],
    "transposed": lambda v: v.T,
    "repeated": lambda v: np.broadcast_to(v[0], v.shape),
    "read-only": lambda v: np.frombuffer(v.tobytes(), v.dtype).reshape(v.shape),
    "unaligned": lambda v: np.frombuffer(b"x" + v.tobytes(), v.dtype, offset=1).reshape(v.shape),
}


@pytest.mark.parametrize("rows", [3, 600])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(layout, rows):
    values = layout(np.arange(rows * 200, dtype="f").reshape(rows, 200))
    for code in (0, 1):
        np.testing.assert_array_equal(array.from_numpy(values, code).asnumpy(), values)


@pytest.mark.parametrize("size", SIZES)
def test_copies_out_are_apart_and_writable(size):
    x = nd.ones((size,))
    copy = x.asnumpy()
    copy[:] = 2
    x[0] = 3
    assert (x[0].asscalar(), x[-1].asscalar(), copy[0]) == (3, 1, 2)


@pytest.mark.parametrize("size", SIZES)
def test_two_arrays_on_the_same_foreign_memory(size):
    memory = np.arange(size + 1, dtype="f")
    low, high = nd.from_numpy(memory[:-1]), nd.from_numpy(memory[1:])
    assert low._shares_memory(high)
    array.copy_into(high, low)
    np.testing.assert_array_equal(high.asnumpy(), np.arange(size))
