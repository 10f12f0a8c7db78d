"""Elementwise calls: requests, overlapping memory and checks of every argument."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES, dtype_of
from opforge.base.errors import DTypeError, OperatorNotFoundError, ShapeError
from opforge.native import calls
from opforge.native.loops.stores import _set_threshold

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

X = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], np.float32)


def initial():
    return nd.array(np.full((2, 3), 100, np.float32))


CALLS = {
    "unary": (lambda x, out, req: calls.unary("square", x, out, req), X**2),
    "binary": (lambda x, out, req: calls.binary("add", x, x, out, req), X + X),
    "broadcast": (
        lambda x, out, req: calls.binary("add", x, nd.array([1.0, 2.0, 3.0]), out, req),
        X + np.array([1, 2, 3], np.float32),
    ),
    "scalar": (lambda x, out, req: calls.binary_scalar("subtract", x, 2, out, True, req), 2 - X),
    "cast": (lambda x, out, req: calls.cast(x, out, req), X),
    "clip": (lambda x, out, req: calls.clip(x, -1, 4, out, req), X.clip(-1, 4)),
    "where": (
        lambda x, out, req: calls.where(nd.array([1.0, 0.0]), x, nd.array([7.0]), out, req),
        np.where([[1], [0]], X, 7),
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("req", "result"),
    [
        ("write", lambda y: y),
        ("inplace", lambda y: y),
        ("add", lambda y: y + 100),
        ("null", lambda y: np.full((2, 3), 100)),
    ],
)
def test_each_request(name, req, result):
    call, expected = CALLS[name]
    out = initial()
    assert call(nd.array(X), out, req) is None
    np.testing.assert_array_equal(out.asnumpy(), result(expected))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("req", ["write", "inplace", "add"])
def test_out_may_be_the_input(name, req):
    call, expected = CALLS[name]
    x = nd.array(X)
    call(x, x, req)
    np.testing.assert_array_equal(x.asnumpy(), expected + X if req == "add" else expected)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shift", [-1, 1])
@pytest.mark.parametrize("req", ["write", "add"])
def test_out_may_be_a_shifted_view_of_the_input(name, shift, req):
    call, expected = CALLS[name]
    memory = nd.zeros((7,))
    x, out = (memory._view(max(s, 0), (2, 3)) for s in (-shift, shift))
    x[:] = X
    before = out.asnumpy()
    call(x, out, req)
    np.testing.assert_array_equal(out.asnumpy(), expected + before if req == "add" else expected)


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_req_is_rejected(name):
    with pytest.raises(ValueError, match="'often' is unknown"):
        CALLS[name][0](nd.array(X), initial(), "often")


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 1), (6,), (0, 3)])
def test_out_of_another_shape_is_rejected(name, shape):
    with pytest.raises(ShapeError, match=r"'out' has shape .*expected \(2, 3\)"):
        CALLS[name][0](nd.array(X), nd.zeros(shape), "write")


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"cast"}))
def test_out_of_another_dtype_is_rejected(name):
    with pytest.raises(DTypeError, match="'out' has dtype int32, expected float32"):
        CALLS[name][0](nd.array(X), nd.zeros((2, 3), dtype="int32"), "write")


@pytest.mark.parametrize("name", CALLS)
def test_none_is_not_an_array(name):
    with pytest.raises(TypeError):
        CALLS[name][0](None, initial(), "write")
    with pytest.raises(TypeError):
        CALLS[name][0](nd.array(X), None, "write")


def test_errors_for_unknown_kernels_list_the_available_ones():
    x = nd.array(X)
    for call in (
        lambda: calls.unary("squared", x, x),
        lambda: calls.binary("plus", x, x, x),
        lambda: calls.binary_scalar("plus", x, 1, x),
    ):
        with pytest.raises(
            OperatorNotFoundError, match=r"elementwise kernel .* not found; available: "
        ):
            call()


def test_operands_must_match():
    x = nd.array(X)
    with pytest.raises(DTypeError, match="'b' has dtype int32, expected float32"):
        calls.binary("add", x, nd.zeros((2, 3), dtype="int32"), x)
    with pytest.raises(ShapeError, match=r"\(2, 3\) \(2,\)"):
        calls.binary("add", x, nd.zeros((2,)), x)
    with pytest.raises(DTypeError, match="'where': 'b' has dtype float64"):
        calls.where(x, x, nd.zeros((2, 3), dtype="float64"), x)
    with pytest.raises(ShapeError, match=r"could not be broadcast.*\(5,\)"):
        calls.where(nd.zeros((5,)), x, x, x)


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_cast_adds_in_the_dtype_of_out(source, target):
    x = nd.array([0, 1, 1], dtype=source)
    out = nd.array([1, 0, 1], dtype=target)
    calls.cast(x, out, "add")
    expected = (np.array([1, 0, 1]) + [0, 1, 1]).astype(target)
    np.testing.assert_array_equal(out.asnumpy(), expected)


@pytest.mark.parametrize("value", [True, False])
def test_fill_of_bools_and_int64(value):
    out = nd.zeros((5,), dtype="bool")
    calls.fill(out, value)
    assert out.asnumpy().tolist() == [value] * 5
    large = nd.zeros((2,), dtype="int64")
    calls.fill(large, 2**62 + value)
    assert large.asnumpy().tolist() == [2**62 + value] * 2


def random_values(dtype, size):
    x = np.random.default_rng(size).normal(0, 60, size).astype(np.float64)
    if np.dtype(dtype).kind not in "iub":
        x[::7], x[3::7], x[5::7] = np.nan, np.inf, -np.inf
    return np.clip(x, 0, 200).astype(dtype) if np.dtype(dtype).kind in "ub" else x.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 5, 16, 1023, 70_001])
@pytest.mark.parametrize("threshold", [0, 1 << 40])
def test_clip_of_every_type_and_length(dtype, size, threshold):
    before = _set_threshold(threshold)
    x, out = random_values(dtype, size), nd.zeros((size,), dtype=dtype)
    calls.clip(nd.array(x, dtype=dtype), -20.5, 40.5, out)
    _set_threshold(before)
    low, high = -20.5, 40.5
    if np.dtype(dtype).kind in "iub":  # rounded toward zero
        low, high = 0 if np.dtype(dtype).kind in "ub" else -20, 40
    wide = x.astype("float64")
    np.testing.assert_array_equal(
        out.asnumpy().astype("float64"), np.clip(wide, low, high).astype(dtype).astype("float64")
    )


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "bool"])
def test_clip_by_bounds_beyond_an_integer_type(dtype):
    x = nd.array([0, 1, 1], dtype=dtype)
    out = nd.zeros((3,), dtype=dtype)
    calls.clip(x, -1e30, 1e30, out)
    assert out.asnumpy().tolist() == x.asnumpy().tolist()


def test_clip_by_unusual_bounds():
    x = nd.array([1.0, np.nan, 5.0])
    for bounds in [(np.nan, 2), (0, np.nan)]:
        calls.clip(x, *bounds, x)
        assert np.isnan(x.asnumpy()).all()
    x = nd.array([1.0, 3.0, 5.0])
    calls.clip(x, 4, 2, x)  # the upper bound wins
    assert x.asnumpy().tolist() == [2, 2, 2]
    calls.clip(x, -np.inf, np.inf, x)
    assert x.asnumpy().tolist() == [2, 2, 2]


def test_zero_size():
    out = nd.zeros((0, 3))
    calls.unary("exp", nd.zeros((0, 3)), out, "add")
    calls.binary("add", nd.zeros((0, 3)), nd.zeros((1, 3)), out)
    calls.where(nd.zeros((0, 1)), nd.zeros((0, 3)), nd.zeros((3,)), out)
    calls.clip(nd.zeros((0, 3)), 0, 1, out)
    calls.fill(out, 3)
    assert out.shape == (0, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "bool", "int64"])
def test_where_with_any_condition_type_and_overlapping_results(dtype):
    rng = np.random.default_rng(4)
    chosen = rng.integers(0, 3, 3001)
    a, b = rng.normal(size=(2, 3001)).astype(np.float32)
    out = nd.zeros((3001,))
    calls.where(nd.array(chosen, dtype=dtype), nd.array(a), nd.array(b), out)
    np.testing.assert_array_equal(out.asnumpy(), np.where(chosen != 0, a, b))
    x = nd.array(chosen, dtype=dtype)
    ones, zeros = nd.ones((3001,), dtype=dtype), nd.zeros((3001,), dtype=dtype)
    calls.where(x, ones, zeros, x)
    np.testing.assert_array_equal(x.asnumpy(), (chosen != 0).astype(dtype))
    x = nd.array(chosen, dtype=dtype)
    calls.where(x[:3000], ones[1:], zeros[1:], x[1:])
    np.testing.assert_array_equal(x.asnumpy()[1:], (chosen[:3000] != 0).astype(dtype))
