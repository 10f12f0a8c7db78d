"""Softmax and its gradient against float64 NumPy, on every axis, type and request."""

from functools import partial

import numpy as np
import pytest

from opforge.base.errors import AttributeValueError, DTypeError, ShapeError
from opforge.native.calls import rowwise

from .. import arrays
from ..arrays import array_of

TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}
normal = partial(arrays.normal, scale=3)
SHAPES = [
    ((4, 3), -1),
    ((4, 3), 0),
    ((7,), 0),
    ((2, 33, 70), 1),
    ((2, 33, 70), 2),
    ((3, 1, 5), 1),
    ((5, 1000), 1),
    ((300, 257), 0),
    ((0, 4), 1),
    ((4, 0), 1),
    ((2, 0, 3), 1),
    ((), -1),
]


def softmax_of(x, axis, temperature, negate, log):
    x = x.astype(np.float64) / temperature * (-1 if negate else 1)
    if x.size == 0:
        return x
    if x.ndim == 0:
        return np.asarray(0.0 if log else 1.0)
    z = x - x.max(axis=axis, keepdims=True)
    log_sum = np.log(np.exp(z).sum(axis=axis, keepdims=True))
    return z - log_sum if log else np.exp(z - log_sum)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("temperature", "negate"), [(1.0, False), (2.5, True)])
def test_softmax_matches_numpy(dtype, shape, axis, log, temperature, negate):
    x = normal(shape, dtype)
    out = array_of(np.ones(shape, dtype))
    rowwise.softmax(array_of(x), out, axis, temperature, log, negate, "write")
    want = softmax_of(x, axis, temperature, negate, log)
    scale = 10 if log else 1
    np.testing.assert_allclose(
        out.asnumpy(), want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("log", [False, True])
def test_gradient_matches_the_formula(dtype, shape, axis, log):
    x, dy = normal(shape, dtype), normal(shape, dtype, 1)
    y = softmax_of(x, axis, 2.0, True, log).astype(dtype)
    out = array_of(np.ones(shape, dtype))
    rowwise.softmax_grad(array_of(dy), array_of(y), out, axis, 2.0, log, True, "write")
    d, p = dy.astype(np.float64), y.astype(np.float64)
    sum_axis = axis if d.ndim else None
    if log:
        want = -0.5 * (d - np.exp(p) * d.sum(axis=sum_axis, keepdims=True))
    else:
        want = -0.5 * p * (d - (d * p).sum(axis=sum_axis, keepdims=True))
    np.testing.assert_allclose(
        out.asnumpy(), want, rtol=TOLERANCE[dtype], atol=20 * TOLERANCE[dtype]
    )


@pytest.mark.parametrize("req", ["write", "inplace", "add", "null"])
@pytest.mark.parametrize("axis", [0, 1])
def test_each_request(req, axis):
    x, old = normal((6, 40), "float32"), normal((6, 40), "float32", 1)
    out = array_of(old)
    rowwise.softmax(array_of(x), out, axis, req=req)
    want = softmax_of(x, axis, 1, False, False)
    want = {"add": old + want, "null": old}.get(req, want)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_input_may_be_the_output(axis):
    x = normal((50, 40), "float32")
    out = array_of(x)
    rowwise.softmax(out, out, axis)
    np.testing.assert_allclose(out.asnumpy(), softmax_of(x, axis, 1, False, False), rtol=1e-5)
    dy = array_of(x)
    rowwise.softmax_grad(dy, out, dy, axis)
    p = softmax_of(x, axis, 1, False, False)
    want = p * (x - (x * p).sum(axis=axis, keepdims=True))
    np.testing.assert_allclose(dy.asnumpy(), want, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_infinities_behave_as_in_other_frameworks(axis, dtype):
    inf = np.inf
    x = np.array(
        [[-inf, -inf, -inf], [inf, 0, 1], [-inf, 0, 0], [np.nan, 0, 1], [1e30, -1e30, 0]], dtype
    )
    want = np.array([[np.nan] * 3, [np.nan] * 3, [0, 0.5, 0.5], [np.nan] * 3, [1, 0, 0]])
    x, want = (x, want) if axis == 1 else (x.T.copy(), want.T)
    out = array_of(np.zeros_like(x))
    rowwise.softmax(array_of(x), out, axis)
    np.testing.assert_array_equal(out.asnumpy(), want.astype(dtype))
    wide = np.full((2, 100) if axis == 1 else (100, 2), -inf, dtype)
    out = array_of(wide)
    rowwise.softmax(out, out, axis, log=True)
    assert np.isnan(out.asnumpy()).all()


def test_rows_sum_to_one_for_large_inputs():
    x = (np.random.default_rng(3).random((64, 5000)) * 1e4).astype(np.float32)
    out = array_of(x)
    rowwise.softmax(out, out, 1)
    np.testing.assert_allclose(out.asnumpy().sum(axis=1, dtype=np.float64), 1, rtol=2e-6)


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((2, 3), np.float32))
    with pytest.raises(ShapeError, match=r"softmax: 'out' has shape \(3, 2\), expected \(2, 3\)"):
        rowwise.softmax(x, array_of(np.zeros((3, 2), np.float32)))
    with pytest.raises(ShapeError, match=r"axis 2 is not in \[-2, 2\)"):
        rowwise.softmax(x, x, 2)
    with pytest.raises(DTypeError, match="'x' has dtype int32, expected one of float32"):
        rowwise.softmax(array_of(np.zeros(3, np.int32)), x)
    with pytest.raises(DTypeError, match="'out' has dtype float64, expected float32"):
        rowwise.softmax(x, array_of(np.zeros((2, 3))))
    with pytest.raises(AttributeValueError, match=r"temperature is 0.0; expected a value above 0"):
        rowwise.softmax(x, x, temperature=0)
    with pytest.raises(ShapeError, match="softmax_grad: 'dy'"):
        rowwise.softmax_grad(array_of(np.zeros(3, np.float32)), x, x)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("negate", [False, True])
def test_every_length_of_a_row(log, negate):
    for n in [*range(1, 80), 127, 129, 1000, 1023, 4095, 4097]:
        for rows in (1, 3, 17):
            x = normal((rows, n), "float32", n)
            out = array_of(np.zeros_like(x))
            rowwise.softmax(array_of(x), out, 1, 1.0, log, negate)
            want = softmax_of(x, 1, 1.0, negate, log)
            np.testing.assert_allclose(out.asnumpy(), want, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_non_finite_element_affects_its_slice_only(bad, axis):
    for n in (5, 31, 32, 63, 64, 100, 300):
        for place in (0, n // 2, n - 1):
            x = normal((20, n) if axis == 1 else (n, 20), "float32")
            x[(7, place) if axis == 1 else (place, 7)] = bad
            out = array_of(np.zeros_like(x))
            rowwise.softmax(array_of(x), out, axis)
            spoilt = np.isnan(out.asnumpy()).all(axis=axis)
            assert spoilt.tolist() == [i == 7 for i in range(20)]
            assert np.isnan(out.asnumpy()).sum() == n


@pytest.mark.parametrize("axis", [0, 1])
def test_gradient_of_a_non_finite_slice_is_nan(axis):
    y, dy = normal((40, 40), "float32") - 20, normal((40, 40), "float32", 1)
    y[(7, slice(None)) if axis == 1 else (slice(None), 7)] = np.nan
    for log in (False, True):
        out = array_of(np.zeros_like(y))
        rowwise.softmax_grad(array_of(dy), array_of(y), out, axis, log=log)
        assert np.isnan(out.asnumpy()).all(axis=axis).tolist() == [i == 7 for i in range(40)]


def test_outputs_too_large_for_the_caches_are_the_same():
    x = normal((4300, 1003), "float32")
    whole, part = array_of(np.zeros_like(x)), array_of(np.zeros((300, 1003), np.float32))
    for log in (False, True):
        rowwise.softmax(array_of(x), whole, 1, log=log)
        rowwise.softmax(array_of(x[2000:2300]), part, 1, log=log)
        np.testing.assert_array_equal(whole.asnumpy()[2000:2300], part.asnumpy())
    dx, small = array_of(x), array_of(x[2000:2300])
    rowwise.softmax_grad(array_of(x), whole, dx, 1, log=True)
    rowwise.softmax_grad(array_of(x[2000:2300]), part, small, 1, log=True)
    np.testing.assert_array_equal(dx.asnumpy()[2000:2300], small.asnumpy())


def test_elements_far_below_the_largest_and_misaligned_views():
    x = np.array([[0.0, -80.0, -87.0, -88.0, -1000.0, -3e38, -np.inf]], np.float32)
    out = array_of(np.zeros(9, np.float32))._view(2, (1, 7))
    rowwise.softmax(array_of(x), out, 1)
    want = softmax_of(x, 1, 1, False, False)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=3e-6, atol=2.4e-38)
    assert out.asnumpy()[0, 0] == 1
    flat = normal((5003,), "float32")
    for offset in (1, 3, 7):
        view = array_of(flat)._view(offset, (4, 1200))
        result = array_of(np.zeros(5000, np.float32))._view(offset, (4, 1200))
        rowwise.softmax(view, result, 1)
        want = softmax_of(flat[offset : offset + 4800].reshape(4, 1200), 1, 1, False, False)
        np.testing.assert_allclose(result.asnumpy(), want, rtol=2e-6)


def test_long_columns_correct_their_sums():
    x = np.sort(normal((5000, 3), "float32"), axis=0) * 10
    x[:40, 1] = -np.inf
    for values in (x, x[::-1].copy()):
        out = array_of(np.zeros_like(values))
        rowwise.softmax(array_of(values), out, 0)
        np.testing.assert_allclose(
            out.asnumpy(), softmax_of(values, 0, 1, False, False), rtol=1e-5, atol=1e-7
        )


def relative_error(got, want):
    return float(np.max(np.abs(got.astype(np.longdouble) - want) / np.abs(want).max(axis=0)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("kind", ["random", "rising"])
def test_accuracy_does_not_depend_on_length(dtype, across, kind):
    """Errors do not accumulate in the sums or in their rescaling when the maximum increases."""
    n = 300_000
    x = np.random.default_rng(0).random((n, 3)) if kind == "random" else np.linspace(0, 3, 3 * n)
    x = x.reshape(n, 3).astype(dtype)
    dy = np.random.default_rng(1).random((n, 3)).astype(dtype)
    wide, head = x.astype(np.longdouble), dy.astype(np.longdouble)
    e = np.exp(wide - wide.max(axis=0))
    want = {False: e / e.sum(axis=0), True: wide - wide.max(axis=0) - np.log(e.sum(axis=0))}
    grads = {
        False: want[False] * (head - (head * want[False]).sum(axis=0)),
        True: head - want[False] * head.sum(axis=0),
    }
    axis, turned = (1, np.transpose) if across else (0, np.asarray)
    for log in (False, True):
        y = array_of(np.zeros_like(turned(x), order="C"))
        rowwise.softmax(array_of(np.ascontiguousarray(turned(x))), y, axis, log=log)
        assert relative_error(turned(y.asnumpy()), want[log]) < 5 * np.finfo(dtype).eps
        rowwise.softmax_grad(array_of(np.ascontiguousarray(turned(dy))), y, y, axis, log=log)
        assert relative_error(turned(y.asnumpy()), grads[log]) < 20 * np.finfo(dtype).eps


def test_columns_far_apart_and_infinite():
    x = np.zeros((100, 6), "float32")
    x[60, 0], x[70, 1], x[80, 2], x[:, 3], x[50, 4] = 1e38, np.inf, np.nan, -np.inf, -np.inf
    x[99, 5] = 100
    y = array_of(x)
    rowwise.softmax(y, y, 0)
    y = y.asnumpy()
    assert y[60, 0] == 1
    assert y[99, 5] == 1
    assert np.isnan(y[:, 1:4]).all()
    np.testing.assert_allclose(y[0, 4], 1 / 99, rtol=1e-6)
    assert y[50, 4] == 0
