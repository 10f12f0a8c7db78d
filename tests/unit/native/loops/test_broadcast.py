"""Broadcasting as index arithmetic, reached through binary kernels and `where`."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES, dtype_of
from opforge.native import calls

DTYPES = [dtype_of(code) for code in range(len(NAMES))]


def draw(shape, dtype, seed):
    return np.random.default_rng(seed).integers(0, 50, shape).astype(dtype)


def random_pairs(count):
    """Return pairs of shapes that broadcast, of up to six dimensions, often with ones."""
    rng = np.random.default_rng(11)
    pairs = []
    for _ in range(count):
        full = rng.integers(1, 5, rng.integers(0, 7))
        pair = []
        for _ in range(2):
            own = np.where(rng.random(full.size) < 0.4, 1, full)
            pair.append(tuple(int(n) for n in own[rng.integers(0, full.size + 1) :]))
        pairs.append(tuple(pair))
    return pairs


@pytest.mark.parametrize(("left", "right"), random_pairs(60))
def test_random_pairs_of_shapes(left, right):
    a, b = draw(left, np.float32, 1), draw(right, np.float32, 2)
    out = nd.zeros(np.broadcast_shapes(left, right))
    calls.binary("subtract", nd.array(a), nd.array(b), out)
    np.testing.assert_array_equal(out.asnumpy(), a - b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("left", "right"), [((3, 1, 5), (4, 1)), ((2, 3), (1, 3)), ((6,), ())])
def test_every_element_size(dtype, left, right):
    shape = np.broadcast_shapes(left, right)
    a, b = (draw(s, dtype, 3) for s in (left, right))
    condition = draw(shape, np.float32, 5) % 2
    out = nd.zeros(shape, dtype=dtype)
    calls.where(nd.array(condition), nd.array(a, dtype=dtype), nd.array(b, dtype=dtype), out)
    np.testing.assert_array_equal(out.asnumpy(), np.where(condition, a, b))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((30000,), (1,)),
        ((1, 30000), (3, 1)),
        ((30000, 1), (1, 3)),
        ((123, 1, 77), (1, 45, 1)),
        ((5000, 2, 3), (2, 1)),
        ((2, 5000, 3), (5000, 1)),
    ],
)
def test_rows_that_are_longer_and_shorter_than_a_chunk(left, right):
    a, b = draw(left, np.int32, 1), draw(right, np.int32, 2)
    out = nd.zeros(np.broadcast_shapes(left, right), dtype="int32")
    calls.binary("add", nd.array(a, dtype="int32"), nd.array(b, dtype="int32"), out)
    np.testing.assert_array_equal(out.asnumpy(), a + b)


@pytest.mark.parametrize(
    ("left", "right"), [((0, 3), (1, 3)), ((0, 1), (1, 5)), ((2, 0, 1), (1, 1, 4)), ((0,), ())]
)
def test_nothing_is_computed_for_zero_size(left, right):
    out = nd.zeros(np.broadcast_shapes(left, right))
    calls.binary("add", nd.zeros(left), nd.zeros(right), out)
    assert out.size == 0


def test_thirty_two_dimensions():
    left, right = (1, 2) + (1,) * 30, (2,) + (1,) * 31
    a, b = draw(left, np.float32, 1), draw(right, np.float32, 2)
    out = nd.zeros((2, 2) + (1,) * 30)
    calls.binary("add", nd.array(a), nd.array(b), out)
    np.testing.assert_array_equal(out.asnumpy(), a + b)
