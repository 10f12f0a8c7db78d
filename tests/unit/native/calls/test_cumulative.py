"""Cumulative sums of every type, length and direction, on all instruction sets."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import ShapeError
from opforge.native import calls

DTYPES = ["float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool"]
#: Shapes and axes with one tile and several, one part of the axis and several, and remainders.
SHAPES = [
    *(((n,), 0) for n in (1, 2, 7, 8, 9, 31, 1023, 1025, 70_001)),
    *(((n, 3), 0) for n in (1, 5, 341, 342, 40_000)),
    ((5, 1, 3), 1),
    ((300, 700), 0),
    ((3, 1100), 1),
    ((2, 300, 2), 1),
    ((2, 3, 257), 1),
]


def summed(x, axis=None, from_end=False, dtype=None):
    source = nd.array(x, dtype=x.dtype)
    out = nd.empty((x.size,) if axis is None else x.shape, dtype=dtype or x.dtype)
    calls.cumsum(source, out, axis, from_end)
    return out.asnumpy()


def reference(x, axis, from_end, dtype):
    """Return sums in float64 or int64, rounded."""
    wide = np.float64 if np.issubdtype(dtype, np.floating) else np.int64
    x = np.flip(x.astype(wide), axis) if from_end else x.astype(wide)
    sums = np.cumsum(x, axis)
    return (np.flip(sums, axis) if from_end else sums).astype(dtype)


def mismatches():
    """Return the cases that differ from NumPy's sums by more than the rounding of float64."""
    rng, found = np.random.default_rng(5), []
    for dtype in DTYPES:
        for shape, axis in SHAPES:
            x = (rng.normal(size=shape) * 20).astype(dtype)
            for from_end in (False, True):
                ours, theirs = summed(x, axis, from_end), reference(x, axis, from_end, x.dtype)
                if x.dtype.kind == "f":
                    # A tie of float64 sums may be rounded either way.
                    step = np.finfo(x.dtype).eps if x.itemsize < 8 else 1e-13
                    same = np.allclose(ours.astype("f8"), theirs.astype("f8"), step, 1e-9)
                else:
                    same = np.array_equal(ours, theirs)
                if not same:
                    found.append((dtype, shape, axis, from_end))
    return found


def test_matches_numpy():
    assert mismatches() == []


def test_on_the_other_instruction_sets(instruction_sets, run_on):
    for isa in instruction_sets[:-1]:
        assert run_on(isa, __file__) == "[]\n"


def test_float32_is_summed_in_float64():
    x = np.full(3_000_000, 0.1, np.float32)
    expected = np.arange(1, x.size + 1) * np.float64(x[0])
    np.testing.assert_allclose(summed(x, 0), expected, 1e-7)


@pytest.mark.parametrize("n", [5, 100_000])
@pytest.mark.parametrize("from_end", [False, True])
def test_infinities_and_nan_reach_later_sums_only(n, from_end):
    x = np.ones((n,), np.float32)
    x[1], x[-2] = np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        expected = reference(x, 0, from_end, x.dtype)
    np.testing.assert_array_equal(summed(x, 0, from_end), expected)


def test_float64_sums_at_the_end_of_the_range():
    x = np.array([1e308, -1e308, 1e308, -1e308] * 20)
    np.testing.assert_array_equal(summed(x, 0), np.cumsum(x))


def test_flattens_without_an_axis():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert summed(x).tolist() == [0, 1, 3, 6, 10, 15]
    assert summed(x, None, True).tolist() == [15, 15, 14, 12, 9, 5]


def test_types_of_the_result():
    assert summed(np.array([1.7, 1.7], "f4"), 0, dtype="int32").tolist() == [1, 2]
    assert summed(np.array([200, 200], "uint8"), 0, dtype="float32").tolist() == [200, 400]
    assert summed(np.array([True, True]), 0, dtype="int64").tolist() == [1, 2]
    assert summed(np.array([100, 100], "int8"), 0).tolist() == [100, -56]
    big = np.array([2**62, 2**62, 2**62])
    assert summed(big, 0).tolist() == [2**62, -(2**63), -(2**62)]
    assert summed(np.array([2**24, 1, 1]), 0, dtype="float32").tolist() == [2**24, 2**24, 2**24 + 2]


def test_requests_and_in_place_results():
    x, out = nd.array([1, 2, 3]), nd.ones((3,))
    calls.cumsum(x, out, 0, req="add")
    assert out.asnumpy().tolist() == [2, 4, 7]
    calls.cumsum(x, out, 0, req="null")
    assert out.asnumpy().tolist() == [2, 4, 7]
    calls.cumsum(x, x, 0, True)
    assert x.asnumpy().tolist() == [6, 5, 3]


def test_empty_arrays():
    around = nd.full((4,), 7)  # memory around an empty result must not change
    for shape in [(0, 3), (3, 0)]:
        calls.cumsum(nd.zeros(shape), around._view(2, shape), 1)
    assert around.asnumpy().tolist() == [7, 7, 7, 7]


def test_invalid_arguments():
    x = nd.zeros((2, 3))
    with pytest.raises(ShapeError, match=r"'out' has shape \(6,\), expected \(2, 3\)"):
        calls.cumsum(x, nd.zeros((6,)), 0)
    with pytest.raises(ShapeError, match="axis 2"):
        calls.cumsum(x, x, 2)


if __name__ == "__main__":
    print(mismatches())
