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


def step_mismatches():
    """Return the steps, lengths and types of slices, repeats and joins that differ from NumPy's."""
    found = []
    for dtype, length in itertools.product(
        ("i1", "f2", "i4", "i8"), (1, 2, 3, 15, 16, 17, 33, 257, 5000)
    ):
        x = (np.arange(3 * 8 * length) % 120).reshape(3, 8 * length).astype(dtype)
        source = nd.array(x, dtype=x.dtype)
        for step in (1, 2, 3, 4, 5, 7, -1, -2, -3):
            expected = x[:, ::step][:, :length]
            out = nd.zeros(expected.shape, dtype=x.dtype)
            calls.slice_array(source, out, (0, 0 if step > 0 else 8 * length - 1), (1, step))
            if not np.array_equal(out.asnumpy(), expected):
                found.append(("slice", dtype, length, step))
            back = nd.zeros(x.shape, dtype=x.dtype)
            calls.slice_grad(out, back, (0, 0 if step > 0 else 8 * length - 1), (1, step))
            written = np.zeros_like(x)
            written[:, ::step][:, :length] = expected
            if not np.array_equal(back.asnumpy(), written):
                found.append(("write", dtype, length, step))
        for times in (1, 2, 3, 4, 5, 9, 64, 65):
            out = nd.zeros((3, 8 * length * times), dtype=x.dtype)
            calls.repeat(source, out, times, 1)
            if not np.array_equal(out.asnumpy(), x.repeat(times, 1)):
                found.append(("repeat", dtype, length, times))
        for columns in (1, 2, 3, 7, 8, 9):
            parts = [x.reshape(-1, 24)[:, :columns], x.reshape(-1, 24)[:, 5:8]]
            expected = np.concatenate(parts, 1)
            out = nd.zeros(expected.shape, dtype=x.dtype)
            calls.concat(tuple(nd.array(part, dtype=x.dtype) for part in parts), out, 1)
            narrow = nd.zeros((length, columns), dtype=x.dtype)
            calls.slice_array(nd.array(x.reshape(-1, 24), dtype=x.dtype), narrow, (0, 1), (1, 2))
            if not np.array_equal(out.asnumpy(), expected) or not np.array_equal(
                narrow.asnumpy(), x.reshape(-1, 24)[:, 1::2][:, :columns]
            ):
                found.append(("columns", dtype, length, columns))
    return found


def test_steps_lengths_and_columns():
    assert step_mismatches() == []


def test_steps_on_the_other_instruction_sets(instruction_sets, run_on):
    for isa in instruction_sets[:-1]:
        assert run_on(isa, __file__) == "[]\n"


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


if __name__ == "__main__":
    print(step_mismatches())
