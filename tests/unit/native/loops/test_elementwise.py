"""Elementwise kernels, called from Python: values, broadcasting, dtypes, req, errors."""

import numpy as np
import pytest

from opforge.base.context import current_context
from opforge.base.dtypes import NAMES, code_of, dtype_of
from opforge.base.errors import DTypeError, OperatorNotFoundError, ShapeError
from opforge.native import array as native
from opforge.native import calls as kernels
from opforge.native.loops.stores import _set_threshold

from .test_choice import BINARY

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

SHAPES = [
    ((4, 5), (4, 5)),
    ((3, 1, 4), (5, 1)),
    ((200, 7), (7,)),
    ((200, 7), (200, 1)),
    ((3, 700), (3, 1)),
    ((3, 700), (700,)),
    ((), (3,)),
    ((1,), ()),
    ((2, 1, 3, 1, 5), (1, 4, 3, 6, 1)),
    ((0, 3), (3,)),
    ((300, 300), (300, 1)),
]
NUMBERS = [t for t in DTYPES if t is not np.bool_]
INTEGERS = [np.uint8, np.int8, np.int32, np.int64]


def wrap(values):
    values = np.ascontiguousarray(values)
    return native.from_numpy(values, code_of(values.dtype), current_context())


def empty(shape, dtype):
    return native.empty(shape, code_of(dtype), current_context())


def run_binary(name, a, b):
    out = empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    kernels.binary(name, wrap(a), wrap(b), out)
    return out.asnumpy()


def run_scalar(name, x, scalar, reverse=False):
    out = empty(x.shape, x.dtype)
    kernels.binary_scalar(name, wrap(x), scalar, out, reverse)
    return out.asnumpy()


def run_unary(name, x):
    out = empty(x.shape, x.dtype)
    kernels.unary(name, wrap(x), out)
    return out.asnumpy()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shapes", SHAPES)
def test_binary_broadcasts_as_numpy_does(dtype, shapes):
    rng = np.random.default_rng(7)
    a, b = ((rng.normal(size=s) * 20).astype(np.int8).astype(dtype) for s in shapes)
    for name in sorted(BINARY.keys() - {"divide"}):
        expected = np.asarray(BINARY[name](a, b)).astype(dtype)
        np.testing.assert_array_equal(run_binary(name, a, b), expected, err_msg=name)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_mod_has_the_divisors_sign_and_is_zero_at_zero(dtype):
    a, b = np.array([5, 7, 0, 5], dtype), np.array([3, 4, 3, 0], dtype)
    np.testing.assert_array_equal(run_binary("mod", a, b), np.array([2, 3, 0, 0], dtype))
    if dtype is not np.uint8:
        got = run_binary("mod", np.array([-5, 5, -5], dtype), np.array([3, -3, -3], dtype))
        np.testing.assert_array_equal(got, np.array([1, -1, -2], dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_truncates_and_never_traps(dtype):
    least = np.iinfo(dtype).min
    a, b = np.array([7, 7, least], dtype), np.array([2, 0, 1], dtype)
    np.testing.assert_array_equal(run_binary("divide", a, b), np.array([3, 0, least], dtype))
    if least < 0:
        a, b = np.array([-7, least], dtype), np.array([2, -1], dtype)
        np.testing.assert_array_equal(run_binary("divide", a, b), np.array([-3, least], dtype))
        np.testing.assert_array_equal(run_binary("mod", a, b), np.array([1, 0], dtype))


def test_integer_power_is_exact_and_truncates_negative_exponents():
    base, exponent = np.array([3, 2, -1, 2], np.int64), np.array([39, -1, -3, 62], np.int64)
    np.testing.assert_array_equal(run_binary("power", base, exponent), [3**39, 0, -1, 2**62])


def test_maximum_and_minimum_propagate_nan():
    a, b = np.array([np.nan, 1], np.float32), np.array([1, np.nan], np.float32)
    assert np.isnan(run_binary("maximum", a, b)).all()
    assert np.isnan(run_binary("minimum", a, b)).all()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("size", [1, 4, 511, 512, 513, 50000])
def test_scalar_on_either_side(dtype, size):
    x = (np.arange(size) % 50).astype(dtype)
    np.testing.assert_array_equal(run_scalar("subtract", x, 2), x - dtype(2))
    np.testing.assert_array_equal(run_scalar("subtract", x, 60, True), dtype(60) - x)


#: Operations with kernels for a scalar operand, and one without.
WITH_SCALARS = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "equal", "not_equal"),
    *("greater", "greater_equal", "lesser", "lesser_equal", "hypot"),
)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", WITH_SCALARS)
@pytest.mark.parametrize("threshold", [0, 1 << 40])
def test_scalar_operands_give_the_same_as_arrays(name, dtype, threshold):
    before = _set_threshold(threshold)
    for size in (1, 7, 16, 33, 513, 5003):
        x = (np.arange(size) % 50).astype(dtype)
        for value in (3, 0, np.nan, np.inf) if np.dtype(dtype).kind not in "iub" else (1, 0):
            if np.dtype(dtype).kind not in "iub":
                x[::5], x[3::5], x[4::5] = np.nan, -np.inf, -0.0
            full = np.full(size, value, dtype)
            for reverse, operands in ((False, (x, full)), (True, (full, x))):
                found = run_scalar(name, x, value, reverse)
                assert found.tobytes() == run_binary(name, *operands).tobytes()
            column = np.full((size, 1), value, dtype)
            rows = np.tile(x, (2, 1))
            found = run_binary(name, rows, column[:2] if size > 1 else np.tile(column, (2, 1)))
            assert found.tobytes() == np.tile(run_binary(name, x, full), (2, 1)).tobytes()
    _set_threshold(before)


def test_integer_arrays_truncate_a_fractional_scalar():
    np.testing.assert_array_equal(run_scalar("multiply", np.array([1, 2], np.int32), 1.5), [1, 2])


def test_int64_scalars_beyond_float64_stay_exact():
    big = 2**62 + 1
    np.testing.assert_array_equal(run_scalar("add", np.array([0], np.int64), big), [big])


def test_float16_scalar_is_rounded_to_float16_first():
    x = np.array([1, 2], np.float16)
    np.testing.assert_array_equal(run_scalar("multiply", x, 0.1), x * np.float16(0.1))


def test_rounding_follows_mxnet_at_ties():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, np.nan, np.inf], np.float32)
    expected = {
        "rint": [0, 1, 2, -1, -2, -3, np.nan, np.inf],
        "round": [1, 2, 3, -1, -2, -3, np.nan, np.inf],
        "fix": [0, 1, 2, 0, -1, -2, np.nan, np.inf],
        "floor": [0, 1, 2, -1, -2, -3, np.nan, np.inf],
        "ceil": [1, 2, 3, 0, -1, -2, np.nan, np.inf],
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(run_unary(name, x), values, err_msg=name)


def test_predicates_return_the_operands_dtype():
    x = np.array([1, np.nan, np.inf, -np.inf, 0], np.float16)
    np.testing.assert_array_equal(run_unary("isnan", x), [0, 1, 0, 0, 0])
    np.testing.assert_array_equal(run_unary("isinf", x), [0, 0, 1, 1, 0])
    np.testing.assert_array_equal(run_unary("isfinite", x), [1, 0, 0, 0, 1])
    np.testing.assert_array_equal(run_unary("logical_not", x), [0, 0, 0, 0, 1])


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_cast_as_numpy(source, target):
    x = np.array([0, 1, 2, 100, 3.9, 0.5, 77, 12, 5, 3, 2, 1, 9, 8, 4, 6, 7]).astype(source)
    out = empty(x.shape, target)
    kernels.cast(wrap(x), out)
    np.testing.assert_array_equal(out.asnumpy(), x.astype(target))


def test_every_float16_survives_float32():
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    wide, back = empty(halves.shape, np.float32), empty(halves.shape, np.float16)
    kernels.cast(wrap(halves), wide)
    kernels.cast(wide, back)
    np.testing.assert_array_equal(wide.asnumpy(), halves.astype(np.float32))
    np.testing.assert_array_equal(back.asnumpy(), halves)


def test_float64_to_float16_rounds_once():
    tie = 1 + 2.0**-11
    x = np.array([tie, tie * (1 + 1e-12), 65519.999, 65520, 1e-8, 2.0**-25 * 1.0000001])
    out = empty(x.shape, np.float16)
    kernels.cast(wrap(x), out)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out.asnumpy(), x.astype(np.float16))


def test_req_write_inplace_add_null():
    x, out = wrap(np.array([1.0, 2.0])), wrap(np.array([10.0, 10.0]))
    kernels.unary("negative", x, out, req="null")
    assert out.asnumpy().tolist() == [10, 10]
    kernels.unary("negative", x, out, req="add")
    assert out.asnumpy().tolist() == [9, 8]
    kernels.binary("add", out, x, out, req="inplace")
    assert out.asnumpy().tolist() == [10, 10]
    with pytest.raises(ValueError, match="req 'twice' is unknown"):
        kernels.unary("negative", x, out, req="twice")


def test_overlapping_views():
    base = wrap(np.arange(1000.0))
    kernels.binary_scalar("add", base._view(0, (900,)), 1, base._view(100, (900,)))
    np.testing.assert_array_equal(base.asnumpy()[100:], np.arange(900.0) + 1)


def test_where_broadcasts_and_chooses_rows():
    a, b = np.arange(6.0).reshape(2, 3), -np.arange(3.0)
    out = empty((2, 3), np.float64)
    kernels.where(wrap(np.array([0, np.nan], np.float32)), wrap(a), wrap(b), out)
    np.testing.assert_array_equal(out.asnumpy(), np.stack([b, a[1]]))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_clip(dtype):
    x = np.arange(100).astype(dtype)
    out = empty(x.shape, dtype)
    kernels.clip(wrap(x), 2.5, 1e30, out)
    np.testing.assert_array_equal(out.asnumpy(), np.maximum(x, dtype(2.5)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_fill(dtype):
    out = empty((40001,), dtype)
    kernels.fill(out, 3)
    assert (out.asnumpy() == dtype(3)).all()


def test_errors_name_kernel_argument_and_remedy():
    x, y = wrap(np.zeros((2, 3), np.float32)), wrap(np.zeros((2, 4), np.float32))
    with pytest.raises(ShapeError, match=r"'add'.*\(2, 3\) \(2, 4\)"):
        kernels.binary("add", x, y, x)
    with pytest.raises(ShapeError, match=r"'exp': 'out' has shape \(2, 4\), expected \(2, 3\)"):
        kernels.unary("exp", x, y)
    with pytest.raises(DTypeError, match="'b' has dtype float64, expected float32"):
        kernels.binary("add", x, wrap(np.zeros((2, 3))), x)
    with pytest.raises(OperatorNotFoundError, match=r"'expo' not found; available: .*exp"):
        kernels.unary("expo", x, x)
