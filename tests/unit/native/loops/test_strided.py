"""Strided walks, tested through the data movement calls."""

import itertools

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES, dtype_of
from opforge.native import calls

DTYPES = [dtype_of(code) for code in range(len(NAMES))]


def values(shape, dtype=np.int32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def transposed(x, axes):
    out = nd.zeros(tuple(x.shape[i] for i in axes), dtype=x.dtype)
    calls.transpose(nd.array(x, dtype=x.dtype), out, axes)
    return out.asnumpy()


@pytest.mark.parametrize("axes", list(itertools.permutations(range(4))))
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 17, 1, 16), (16, 2, 33, 1)])
def test_every_order_of_four_axes(axes, shape):
    x = values(shape)
    np.testing.assert_array_equal(transposed(x, axes), x.transpose(axes))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(15, 15), (16, 16), (17, 16), (16, 17), (31, 33), (1, 50), (300, 257)]
)
def test_blocks_and_their_edges_for_every_element_size(dtype, shape):
    x = (values(shape) % 100).astype(dtype)
    np.testing.assert_array_equal(transposed(x, (1, 0)), x.T)


@pytest.mark.parametrize("length", [1, 15, 16, 17, 63, 64, 65, 32767, 32768, 32769, 70000])
def test_runs_of_every_length(length):
    x = values((2, length), np.uint8)
    out = nd.zeros((2, 2 * length), dtype="uint8")
    calls.tile(nd.array(x, dtype="uint8"), out, (1, 2))
    np.testing.assert_array_equal(out.asnumpy(), np.tile(x, (1, 2)))
    doubled = nd.zeros((2, 2 * length), dtype="uint8")
    calls.repeat(nd.array(x, dtype="uint8"), doubled, 2, 1)
    np.testing.assert_array_equal(doubled.asnumpy(), x.repeat(2, 1))


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
@pytest.mark.parametrize("inner", [1, -1, 2])
def test_positive_and_negative_steps(step, inner):
    x = values((9, 10))
    key = (slice(None, None, step), slice(None, None, inner))
    expected = x[key]
    out = nd.zeros(expected.shape, dtype="int32")
    begin = tuple(0 if s > 0 else n - 1 for s, n in zip((step, inner), x.shape, strict=True))
    calls.slice_array(nd.array(x, dtype="int32"), out, begin, (step, inner))
    np.testing.assert_array_equal(out.asnumpy(), expected)


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_flips(axes):
    x = values((3, 70, 5))
    out = nd.zeros(x.shape, dtype="int32")
    calls.flip(nd.array(x, dtype="int32"), out, axes)
    np.testing.assert_array_equal(out.asnumpy(), np.flip(x, axes))


@pytest.mark.parametrize("shape", [(4, 1, 6), (1, 5, 1), (1, 1, 1), (6,), (5, 1)])
def test_broadcasts(shape):
    x = values(shape)
    out = nd.zeros((4, 5, 6), dtype="int32")
    calls.broadcast_to(nd.array(x, dtype="int32"), out)
    np.testing.assert_array_equal(out.asnumpy(), np.broadcast_to(x, (4, 5, 6)))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concat_along_any_axis(axis):
    x = values((3, 4, 5))
    parts = np.split(x, [1, 3], axis)
    out = nd.zeros(x.shape, dtype="int32")
    calls.concat(tuple(nd.array(p, dtype="int32") for p in parts), out, axis)
    np.testing.assert_array_equal(out.asnumpy(), x)


def test_nothing_is_copied_for_zero_size():
    assert transposed(values((0, 3, 2)), (2, 0, 1)).shape == (2, 0, 3)
    out = nd.zeros((3, 0))
    calls.tile(nd.zeros((3, 0)), out, (1, 4))
    assert out.shape == (3, 0)


@pytest.mark.parametrize("run", [1024, 1031, 2500])
def test_results_that_exceed_the_caches(run):
    x = values((5, run), np.uint8)
    out = nd.zeros((5, 2600 * run), dtype="uint8")
    calls.tile(nd.array(x, dtype="uint8"), out, (1, 2600))
    np.testing.assert_array_equal(out.asnumpy(), np.tile(x, (1, 2600)))
