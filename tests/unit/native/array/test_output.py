"""Combination of results with the contents of `out`, for kernels that are not elementwise."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES, dtype_of
from opforge.native import calls

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

X = np.arange(1, 10, dtype=np.float32).reshape(3, 3)

CALLS = {
    "transpose": (lambda x, out, req: calls.transpose(x, out, (1, 0), req), X.T),
    "flip": (lambda x, out, req: calls.flip(x, out, (0,), req), X[::-1]),
    "gemm": (lambda x, out, req: calls.gemm(x, x, out, req=req), X @ X),
    "take": (
        lambda x, out, req: calls.take(x, nd.array([2, 0, 1]), out, 0, "clip", req),
        X[[2, 0, 1]],
    ),
    "concat": (
        lambda x, out, req: calls.concat((x._view(3, (2, 3)), x._view(0, (1, 3))), out, 0, req),
        X[[1, 2, 0]],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_requests(name):
    call, expected = CALLS[name]
    for req, result in [
        ("write", expected),
        ("inplace", expected),
        ("add", expected + 100),
        ("null", np.full((3, 3), 100)),
    ]:
        out = nd.ones((3, 3)) * 100
        assert call(nd.array(X), out, req) is None
        np.testing.assert_array_equal(out.asnumpy(), result)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shift", [0, 3, -3, 1, -2])
@pytest.mark.parametrize("req", ["write", "add"])
def test_out_may_overlap_the_input(name, shift, req):
    call, expected = CALLS[name]
    memory = nd.zeros((12,))
    x, out = memory._view(max(0, -shift), (3, 3)), memory._view(max(0, shift), (3, 3))
    x[:] = X
    before = out.asnumpy()
    call(x, out, req)
    np.testing.assert_array_equal(out.asnumpy(), expected + before if req == "add" else expected)


@pytest.mark.parametrize("dtype", [t for t in DTYPES if t is not np.bool_])
def test_add_in_every_dtype(dtype):
    out = nd.array(np.full((3, 3), 2), dtype=dtype)
    calls.transpose(nd.array(X, dtype=dtype), out, (1, 0), "add")
    np.testing.assert_array_equal(out.asnumpy(), X.T.astype(dtype) + dtype(2))


def test_null_touches_neither_memory_nor_values():
    out = nd.array([[float("nan")] * 3] * 3)
    for call, _ in CALLS.values():
        call(nd.array(X), out, "null")
    assert np.isnan(out.asnumpy()).all()


def test_add_of_empty_arrays():
    out = nd.zeros((3, 0))
    calls.transpose(nd.zeros((0, 3)), out, (1, 0), "add")
    assert out.shape == (3, 0)
