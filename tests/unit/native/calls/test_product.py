"""Matrix products against float64 NumPy: transposes, bias, requests, odd and empty sizes."""

import numpy as np
import pytest

from opforge.base.errors import DTypeError, ShapeError
from opforge.native import calls

from ..arrays import array_of

TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-12, "int32": 0, "int64": 0}
SIZES = [
    (1, 5, 7),
    (5, 1, 7),
    (1, 1, 1),
    (64, 100, 33),
    (0, 3, 2),
    (3, 2, 0),
    (3, 0, 2),
    (1, 900, 700),
    (900, 1, 700),
    (1, 1, 140_001),  # vectors long enough to be divided
    (170, 190, 150),
]


def matrix(rows, cols, dtype, flip, seed):
    x = np.random.default_rng(seed).standard_normal((cols, rows) if flip else (rows, cols)) * 3
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
def test_gemm(dtype, m, n, k, ta, tb):
    a, b = matrix(m, k, dtype, ta, 0), matrix(k, n, dtype, tb, 1)
    bias, old = matrix(1, n, dtype, False, 2)[0], matrix(m, n, dtype, False, 3)
    product = (a.T if ta else a).astype(np.float64) @ (b.T if tb else b).astype(np.float64)
    room = TOLERANCE[dtype] * (np.sqrt(k) * 9 + 1)
    out = array_of(old)
    calls.gemm(array_of(a), array_of(b), out, ta, tb)
    np.testing.assert_allclose(out.asnumpy(), product, rtol=TOLERANCE[dtype], atol=room)
    out = array_of(old)
    calls.gemm(array_of(a), array_of(b), out, ta, tb, 2.0, array_of(bias), "add")
    np.testing.assert_allclose(
        out.asnumpy(), old + 2 * product + bias, rtol=TOLERANCE[dtype], atol=3 * room
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize(("m", "n", "k"), [(3, 4, 5), (40, 30, 20), (2, 3, 0), (1, 1, 6)])
@pytest.mark.parametrize("count", [0, 1, 3, 70])
def test_batch_dot(dtype, m, n, k, count):
    rng = np.random.default_rng(0)
    a = (rng.standard_normal((count, k, m)) * 3).astype(dtype)
    b = (rng.standard_normal((count, n, k)) * 3).astype(dtype)
    old = np.ones((count, m, n), dtype)
    out = array_of(old)
    calls.batch_dot(array_of(a), array_of(b), out, True, True, "add")
    want = old + a.transpose(0, 2, 1).astype(np.float64) @ b.transpose(0, 2, 1).astype(np.float64)
    np.testing.assert_allclose(
        out.asnumpy(), want, rtol=TOLERANCE[dtype], atol=50 * TOLERANCE[dtype]
    )


@pytest.mark.parametrize("req", ["write", "inplace", "add", "null"])
def test_output_may_be_an_input(req):
    a = matrix(20, 20, "float32", False, 0)
    out = array_of(a)
    calls.gemm(out, out, out, req=req)
    want = {"add": a + a @ a, "null": a}.get(req, a @ a)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-4, atol=1e-4)


def test_integers_wrap():
    a = np.full((2, 2), 200, np.uint8)
    out = array_of(a)
    calls.gemm(array_of(a), array_of(a), out)
    np.testing.assert_array_equal(out.asnumpy(), a @ a)


def test_errors_name_argument_and_numbers():
    a, b = array_of(np.zeros((2, 3), np.float32)), array_of(np.zeros((4, 5), np.float32))
    with pytest.raises(
        ShapeError,
        match=r"'a' of shape \(2, 3\) and 'b' of shape \(4, 5\).*got inner lengths 3 and 4",
    ):
        calls.gemm(a, b, a)
    with pytest.raises(ShapeError, match=r"gemm: 'out' has shape \(2, 3\), expected \(2, 2\)"):
        calls.gemm(a, a, a, False, True)
    with pytest.raises(DTypeError, match="'b' has dtype float64, expected float32"):
        calls.gemm(a, array_of(np.zeros((3, 2))), a)
    with pytest.raises(ShapeError, match="'bias' has shape"):
        calls.gemm(
            a,
            a,
            array_of(np.zeros((2, 2), np.float32)),
            False,
            True,
            1.0,
            array_of(np.zeros(3, np.float32)),
        )
    with pytest.raises(ShapeError, match="expected 3 dimensions"):
        calls.batch_dot(a, a, a)
    with pytest.raises(DTypeError, match="bool"):
        flags = array_of(np.ones((2, 2), bool))
        calls.gemm(flags, flags, flags)
