"""Two-bit compression against the same arithmetic in NumPy; shapes and types are validated."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import nd
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError
from opforge.native import calls

SIZES = (0, 1, 3, 15, 16, 17, 511, 512, 513, 1040, 40_001)


def words_of(codes):
    """Return words in MXNet's format: the first value is in the highest bits of the first byte."""
    padded = np.zeros(-(-codes.size // 16) * 16, np.uint8)
    padded[: codes.size] = codes
    fours = padded.reshape(-1, 4)
    packed = fours[:, 0] << 6 | fours[:, 1] << 4 | fours[:, 2] << 2 | fours[:, 3]
    return packed.astype(np.uint8).view(np.int32)


def check(x, rest, threshold):
    limit, total = np.float32(threshold), rest + x
    up, down = total >= limit, total <= -limit
    sent = np.where(up, limit, np.where(down, -limit, np.float32(0)))
    left, words = nd.array(rest), nd.zeros(-(-x.size // 16), dtype="int32")
    calls.pack_two_bits(nd.array(x), left, words, threshold)
    np.testing.assert_array_equal(left.asnumpy(), total - sent)
    np.testing.assert_array_equal(words.asnumpy(), words_of(3 * up + 2 * down))
    out = nd.full(x.shape, 7)
    calls.unpack_two_bits(words, out, threshold)
    np.testing.assert_array_equal(out.asnumpy(), sent)
    out[:] = x
    calls.unpack_two_bits(words, out, threshold, req="add")
    np.testing.assert_array_equal(out.asnumpy(), x + sent)


@pytest.mark.parametrize("size", SIZES)
def test_sizes_around_words_and_tiles(size):
    rng = np.random.default_rng(size)
    check(*rng.normal(size=(2, size)).astype(np.float32), 0.5)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(width=32, allow_nan=True), max_size=40),
    st.floats(2**-10, 2**10, width=32),
)
def test_any_numbers(values, threshold):
    """NaN is sent as 0, and infinity always as the threshold."""
    with np.errstate(invalid="ignore"):
        check(np.array(values, np.float32), np.zeros(len(values), np.float32), threshold)


def test_other_instruction_sets_compute_the_same(instruction_sets):
    for name in instruction_sets:
        environment = {**os.environ, "OPFORGE_ISA": name}
        subprocess.run([sys.executable, __file__], env=environment, check=True, timeout=300)


def test_nothing_is_written_without_a_request():
    out = nd.ones(3)
    calls.unpack_two_bits(nd.full(1, -1, dtype="int32"), out, req="null")
    assert out.asnumpy().tolist() == [1, 1, 1]


def test_mismatched_arrays_are_rejected():
    x, words = nd.ones(20), nd.zeros(2, dtype="int32")
    with pytest.raises(
        ShapeError, match=r"pack_two_bits: 'words' has shape \(1,\), expected \(2,\)"
    ):
        calls.pack_two_bits(x, nd.zeros(20), words[:1])
    with pytest.raises(ShapeError, match="'rest' has shape"):
        calls.pack_two_bits(x, nd.zeros(19), words)
    with pytest.raises(DTypeError, match="'x' has dtype float64"):
        calls.pack_two_bits(x.astype("float64"), nd.zeros(20), words)
    with pytest.raises(DTypeError, match="'words' has dtype int64"):
        calls.unpack_two_bits(words.astype("int64"), x)
    with pytest.raises(
        ShapeError, match=r"unpack_two_bits: 'words' has shape \(2,\), expected \(3,\)"
    ):
        calls.unpack_two_bits(words, nd.ones((3, 11)))
    for both in (x, x[:]):
        with pytest.raises(ValueError, match="share memory"):
            calls.pack_two_bits(x, both, words)


@pytest.mark.parametrize("threshold", [0, -1, float("nan"), float("inf"), 1e-60, 1e60])
def test_invalid_thresholds_are_rejected(threshold):
    with pytest.raises(AttributeValueError, match="expected a finite float32 value above 0"):
        calls.pack_two_bits(nd.ones(2), nd.zeros(2), nd.zeros(1, dtype="int32"), threshold)


if __name__ == "__main__":
    for size in SIZES:
        test_sizes_around_words_and_tiles(size)
