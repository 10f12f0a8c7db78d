"""Exchange with NumPy: types, layouts, sizes on both sides of the threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from opforge import nd
from opforge.base.dtypes import CODES, NAMES, dtype_of
from opforge.base.errors import ShapeError
from opforge.native import array

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

SIZES = [5, 1 << 17]
SUPPORTED = [np.dtype(t) for t in DTYPES]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_types_convert_as_in_numpy(source, target, size):
    values = (np.arange(size) % 100).astype(source)
    result = array.from_numpy(values, CODES[target])
    np.testing.assert_array_equal(result.asnumpy(), values.astype(target))
    other = array.empty((size,), CODES[target])
    array.copy_into(other, array.from_numpy(values, CODES[source]))
    np.testing.assert_array_equal(other.asnumpy(), values.astype(target))


@pytest.mark.parametrize("source", ["u2", "i2", "u4", "u8", "g", ">f4", ">i8"])
def test_types_without_an_array_equivalent_are_converted(source):
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
def test_copies_are_independent_and_writable(size):
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


@given(
    hnp.arrays(
        st.sampled_from(SUPPORTED),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
        elements=st.integers(0, 1),
    ),
    st.sampled_from(range(8)),
)
def test_any_layout_is_copied_and_converted(source, code):
    strided = np.asfortranarray(np.repeat(source, 2, axis=0)[::2] if source.ndim else source)
    x = array.from_numpy(strided, code)
    np.testing.assert_array_equal(x.asnumpy(), source.astype(DTYPES[code]))


def test_byte_swapped_and_read_only_sources():
    swapped = np.array([1.5, 2.5], dtype=">f8")
    swapped.flags.writeable = False
    assert array.from_numpy(swapped, 0).asnumpy().tolist() == [1.5, 2.5]


def test_wrap_numpy_shares_memory_or_rejects():
    source = np.zeros((2, 2), "float32")
    x = array.wrap_numpy(source)
    source[0, 0] = 3
    assert x.asnumpy()[0, 0] == 3
    with pytest.raises(ValueError, match="C-contiguous"):
        array.wrap_numpy(np.zeros((4, 4), "float32")[::2])


def test_wrap_numpy_names_what_a_source_is_not():
    frozen = np.zeros(2, "float32")
    frozen.flags.writeable = False
    unaligned = np.zeros(9, "uint8")[1:].view("float32")
    strided = np.zeros(4, "float32")[::2]
    for source, word in ((frozen, "writable"), (unaligned, "aligned"), (strided, "C-contiguous")):
        with pytest.raises(ValueError, match=f"this one is not {word}: copy it first"):
            array.wrap_numpy(source)


def test_numpy_arrays_with_too_many_axes_are_not_shared():
    with pytest.raises(ShapeError, match="at most 32 dimensions, got 64"):
        array.wrap_numpy(np.ones((1,) * 64, "float32"))
