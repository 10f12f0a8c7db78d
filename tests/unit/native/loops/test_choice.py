"""One-byte integers: their kernels give the same results as 32-bit arithmetic."""

import re
from pathlib import Path

import numpy as np
import pytest

from opforge.base.context import current_context
from opforge.base.dtypes import TYPES, code_of
from opforge.native import array as native
from opforge.native import calls as kernels

UNARY = {
    "negative": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "relu": lambda x: np.maximum(x, 0),
    "logical_not": lambda x: x == 0,
}
BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "lesser": np.less,
    "lesser_equal": np.less_equal,
    "logical_and": lambda a, b: (a != 0) & (b != 0),
    "logical_or": lambda a, b: (a != 0) | (b != 0),
    "logical_xor": lambda a, b: (a != 0) ^ (b != 0),
    "divide": lambda a, b: np.where(b == 0, 0, np.trunc(a / np.where(b == 0, 1, b))),
}
BYTES = [np.uint8, np.int8]


def wrap(values):
    values = np.ascontiguousarray(values)
    return native.from_numpy(values, code_of(values.dtype), current_context())


def out_of(run, like):
    out = native.empty(like.shape, code_of(like.dtype), current_context())
    run(out)
    return out.asnumpy()


def all_pairs(dtype):
    values = np.arange(256, dtype=np.uint8).view(dtype)
    return np.repeat(values, 256), np.tile(values, 256)


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("name", UNARY)
def test_unary_of_every_byte(name, dtype):
    x = np.arange(256, dtype=np.uint8).view(dtype)
    expected = UNARY[name](x.astype(np.int32)).astype(np.int32).astype(dtype)
    np.testing.assert_array_equal(out_of(lambda y: kernels.unary(name, wrap(x), y), x), expected)


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_of_every_pair_of_bytes(name, dtype):
    a, b = all_pairs(dtype)
    expected = BINARY[name](a.astype(np.int32), b.astype(np.int32)).astype(np.int32).astype(dtype)
    got = out_of(lambda y: kernels.binary(name, wrap(a), wrap(b), y), a)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("scalar", [-300, -129, -128, -1, 0, 127, 128, 255, 256, 300, 2.75])
@pytest.mark.parametrize(
    "name", ["add", "multiply", "maximum", "minimum", "lesser", "greater_equal"]
)
def test_scalars_beyond_one_byte_are_computed_in_32_bits(name, scalar, dtype):
    x = np.arange(256, dtype=np.uint8).view(dtype)
    wide, integer = x.astype(np.int32), np.int32(int(scalar))
    for reverse in (False, True):
        operands = (integer, wide) if reverse else (wide, integer)
        expected = BINARY[name](*operands).astype(np.int32).astype(dtype)
        got = out_of(lambda y, r=reverse: kernels.binary_scalar(name, wrap(x), scalar, y, r), x)
        np.testing.assert_array_equal(got, expected)


def test_bools_stay_bools():
    a = np.array([True, True, False])
    got = out_of(lambda y: kernels.binary("add", wrap(a), wrap(a), y), a)
    assert got.tolist() == [True, True, False]


def test_compute_types_are_those_of_the_table():
    source = Path(__file__).parents[4] / "core" / "opforge" / "native" / "loops" / "choice.pyx"
    text = source.read_text()
    short = {"float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64"}
    wanted = [short[row.computed_in] for row in TYPES]
    for name, prefix in (("COMPUTE", "COMPUTE_"), ("WIDE", "")):
        found = re.search(rf"cdef int\[N_DTYPES\] {name} = \[([^]]*)\]", text)[1]
        assert re.findall(r"\w+", found) == [prefix + code for code in wanted]
