"""Conversion kernels from every element type to every other, at the limits of the types."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge import nd
from opforge.base.dtypes import NAMES, dtype_of
from opforge.native import array as native
from opforge.native import calls

BFLOAT16 = ml_dtypes.bfloat16
DTYPES = [dtype_of(code) for code in range(len(NAMES))]
FLOATS = [np.float16, np.float32, np.float64, BFLOAT16]
INTEGERS = [np.uint8, np.int8, np.int32, np.int64]


def convert(values, target):
    out = nd.zeros(values.shape, dtype=target)
    calls.cast(nd.array(values, dtype=values.dtype), out)
    return out.asnumpy()


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("size", [1, 7, 8, 64, 1001])
def test_small_integers_are_kept(source, target, size):
    values = (np.arange(size) % 100).astype(source)
    np.testing.assert_array_equal(convert(values, target), values.astype(target))


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integers_wrap_as_in_numpy(source, target):
    info = np.iinfo(source)
    values = np.array([info.min, info.min + 1, 0, 1, 127, info.max - 1, info.max], source)
    np.testing.assert_array_equal(convert(values, target), values.astype(target))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", INTEGERS)
def test_fractions_are_truncated(source, target):
    values = np.array([0.0, 0.4, 0.9, 1.5, 2.98, 126.5], source)
    assert convert(values, target).tolist() == [0, 0, 0, 1, 2, 126]
    if target is not np.uint8:
        assert convert(-values, target).tolist() == [0, 0, 0, -1, -2, -126]


@pytest.mark.parametrize("source", [np.float32, np.float64])
@pytest.mark.parametrize("target", [np.int32, np.int64])
@pytest.mark.parametrize("size", [1, 40])
def test_values_out_of_range_become_the_minimum(source, target, size):
    info = np.iinfo(target)
    # The first float that is too large, and the largest and smallest that fit.
    over = -source(info.min)
    edges = [np.nextafter(over, source(0)), source(info.min)]
    values = np.tile(np.array([np.nan, np.inf, -np.inf, over, 1e30, -1e30, *edges], source), size)
    found = convert(values, target).reshape(size, -1)
    assert (found[:, :6] == info.min).all()
    assert (found[:, 6:] == [int(np.trunc(edges[0])), info.min]).all()


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", [np.uint8, np.int8])
def test_one_byte_takes_the_low_bits(source, target):
    values = np.array([300.0, -300.0, 32000.0, np.nan, np.inf], source)
    low = np.array([*values[:3].astype(np.int32), 0, 0], np.int32).astype(target)
    assert convert(values, target).tolist() == low.tolist()


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", FLOATS)
def test_infinities_signs_and_nan_are_kept(source, target):
    values = np.array([np.inf, -np.inf, -0.0, 0.0, 1.0, -65504.0, 6e-8], source)
    found = convert(values, target)
    np.testing.assert_array_equal(found, values.astype(target))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(values))
    assert np.isnan(convert(np.array([np.nan, -np.nan], source), target)).all()


@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_float16_rounds_to_even_and_overflows_to_infinity(source):
    values = np.array([2049, 2051, 65519, 65520, 1e30, 2**-25, 2**-24 * 1.5, -2051], source)
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    np.testing.assert_array_equal(convert(values, np.float16), expected)


def test_every_float16_to_every_type_and_back():
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)]
    for target in (np.float32, np.float64):
        np.testing.assert_array_equal(convert(finite, target), finite.astype(target))
        np.testing.assert_array_equal(
            convert(convert(finite, target), np.float16).view(np.uint16), finite.view(np.uint16)
        )


def test_every_bfloat16_to_every_type_and_back():
    brains = np.arange(2**16, dtype=np.uint16).view(BFLOAT16)
    for target in FLOATS:
        with np.errstate(over="ignore", invalid="ignore"):
            expected = brains.astype(np.float64).astype(target)
            # NumPy does not see that NaN of bfloat16 are equal.
            found = convert(brains, target).astype(np.float64)
            np.testing.assert_array_equal(found, expected.astype(np.float64))
    finite = brains[(brains.view(np.uint16) & 0x7F80) != 0x7F80]
    for target in (np.float32, np.float64):
        back = convert(convert(finite, target), BFLOAT16)
        np.testing.assert_array_equal(back.view(np.uint16), finite.view(np.uint16))


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=64))
def test_bfloat16_rounds_float32_to_even(bits):
    values = np.array(bits, np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        expected = values.astype(BFLOAT16)
    found = convert(values, BFLOAT16).astype(np.float32)
    np.testing.assert_array_equal(found, expected.astype(np.float32))


@pytest.mark.parametrize("source", [np.float64, np.int64, np.int32])
def test_bfloat16_rounds_wide_types_once(source):
    # The last bit decides, which float32 does not have.
    values = np.array([2**30 + 2**22 + 1, 2**30 + 2**22, 2**30 + 2**22 - 1], source)
    found = convert(values, BFLOAT16).astype(np.float64).tolist()
    assert found == [2**30 + 2**23, 2**30, 2**30]


@pytest.mark.parametrize("source", DTYPES)
def test_bool_is_one_for_nonzero_values(source):
    values = np.array([0, 1, 2, 100], source)
    assert convert(values, np.bool_).view(np.uint8).tolist() == [0, 1, 1, 1]
    if source in FLOATS:
        edges = np.array([-0.0, np.nan, np.inf, -np.inf, 6e-8], source)
        assert convert(edges, np.bool_).tolist() == [False, True, True, True, True]


@pytest.mark.parametrize("value", [2**53 + 1, -(2**63), 2**63 - 1])
def test_int64_to_floats_rounds_once(value):
    values = np.array([value], np.int64)
    for target in (np.float32, np.float64):
        assert convert(values, target) == values.astype(target)
    assert convert(values, np.int64)[0] == value


@pytest.mark.parametrize("dtype", DTYPES)
def test_overlapping_copies(dtype):
    values = (np.arange(100) % 2).astype(dtype)
    x = native.from_numpy(values, nd.zeros((1,), dtype=dtype).dtype_code)
    calls.cast(x._view(0, (99,)), x._view(1, (99,)))
    np.testing.assert_array_equal(x.asnumpy()[1:], values[:-1])
