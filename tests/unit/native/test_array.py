import pickle
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from opforge import cpu, gpu
from opforge.base import dtypes
from opforge.base.errors import ContextError, ShapeError
from opforge.native import array

SUPPORTED = [np.dtype(t) for t in dtypes.DTYPES]


@pytest.mark.parametrize("code", range(8))
def test_round_trip_of_every_dtype(code):
    source = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtypes.dtype_of(code))
    x = array.from_numpy(source, code)
    assert x.shape == (2, 3)
    assert x.dtype is dtypes.dtype_of(code)
    np.testing.assert_array_equal(x.asnumpy(), source)


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
    np.testing.assert_array_equal(x.asnumpy(), source.astype(dtypes.dtype_of(code)))


def test_byte_swapped_and_read_only_sources():
    swapped = np.array([1.5, 2.5], dtype=">f8")
    swapped.flags.writeable = False
    assert array.from_numpy(swapped, 0).asnumpy().tolist() == [1.5, 2.5]


def test_asnumpy_is_an_independent_writable_copy():
    for size in (4, 100_000):
        x = array.zeros((size,), 0)
        y = x.asnumpy()
        y[0] = 9
        assert y.flags.writeable
        assert x.asnumpy()[0] == 0


def test_asarray_and_memoryview_share_memory():
    x = array.zeros((2, 3), 4)
    np.asarray(x)[1, 2] = 7
    view = memoryview(x)
    assert (view.format, view.shape, view.strides) == ("i", (2, 3), (12, 4))
    assert view[1, 2] == 7
    np.from_dlpack(x)[0, 0] = 5
    assert x.asnumpy()[0, 0] == 5


def test_array_protocol_converts_and_refuses():
    x = array.zeros((2,), 0)
    assert np.array(x, dtype="float64").dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__(np.float64, copy=False)


def test_wrap_numpy_shares_and_refuses_what_it_cannot_share():
    source = np.zeros((2, 2), "float32")
    x = array.wrap_numpy(source)
    source[0, 0] = 3
    assert x.asnumpy()[0, 0] == 3
    with pytest.raises(ValueError, match="C-contiguous"):
        array.wrap_numpy(np.zeros((4, 4), "float32")[::2])


def test_views_are_checked():
    x = array.zeros((6,), 0)
    assert x._view(2, (2, 2)).shape == (2, 2)
    for offset, shape in ((3, (4,)), (-1, (1,)), (7, ())):
        with pytest.raises(ShapeError, match="does not fit"):
            x._view(offset, shape)


def test_shared_memory_is_detected():
    x = array.zeros((6,), 0)
    assert x._view(0, (3,))._shares_memory(x)
    assert not x._view(0, (3,))._shares_memory(x._view(3, (3,)))
    assert not x._shares_memory(array.zeros((6,), 0))


@pytest.mark.parametrize("shape", [(-1,), (2, -3), (1,) * 33])
def test_impossible_shapes(shape):
    with pytest.raises(ShapeError):
        array.empty(shape, 0)


@pytest.mark.parametrize("shape", ["ab", 1.5, (1.5,), None, [[1]]])
def test_shapes_of_the_wrong_type(shape):
    with pytest.raises(TypeError, match="shape must be"):
        array.empty(shape, 0)


def test_context_is_kept_and_gpu_refused():
    assert array.empty((1,), 0, cpu(3)).context == cpu(3)
    with cpu(2):
        assert array.empty((1,), 0).context == cpu(2)
    with pytest.raises(ContextError, match="GPU support is disabled"):
        array.empty((1,), 0, gpu(0))


def test_asscalar():
    x = array.from_numpy(np.array([2.5]), 0)
    assert x.asscalar() == np.float32(2.5)
    assert isinstance(x.asscalar(), np.float32)
    with pytest.raises(ValueError, match="not a scalar"):
        array.zeros((2,), 0).asscalar()


def test_copy_into_converts_and_checks_sizes():
    target = array.zeros((2, 2), 4)
    array.copy_into(target, array.from_numpy(np.arange(4.0), 1))
    assert target.asnumpy().tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ShapeError, match="sizes differ"):
        array.copy_into(target, array.zeros((3,), 0))


def test_overlapping_copy_is_right():
    x = array.from_numpy(np.arange(6.0), 0)
    array.copy_into(x._view(1, (5,)), x._view(0, (5,)))
    assert x.asnumpy().tolist() == [0, 0, 1, 2, 3, 4]


def test_contexts_pickle():
    assert pickle.loads(pickle.dumps(cpu(2))) == cpu(2)


def test_no_array_is_made_without_memory():
    for kind in (array.Array, type(array.zeros((2,)))):
        for make in (kind, lambda kind=kind: kind.__new__(kind)):
            with pytest.raises(TypeError, match="not made directly"):
                make()


def test_numpy_arrays_with_too_many_axes_are_not_shared():
    with pytest.raises(ShapeError, match="at most 32 dimensions, got 64"):
        array.wrap_numpy(np.ones((1,) * 64, "float32"))


def test_a_context_is_a_context():
    with pytest.raises(TypeError, match="a context must be a Context"):
        array.zeros((2,), 0, "cpu")


def test_a_shape_may_be_a_named_tuple():
    shape = namedtuple("Shape", "height width")(2, 3)
    assert array.zeros(shape).shape == (2, 3)
    assert type(array.zeros(shape).shape) is tuple


@pytest.mark.parametrize("shape", [(2**50,), (2**40, 2**40), (10**20,), (3, 10**20)])
def test_what_no_memory_can_hold_is_refused_as_such(shape):
    with pytest.raises(MemoryError, match="too many elements"):
        array.empty(shape)
