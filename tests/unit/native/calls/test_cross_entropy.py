"""The fused cross entropy against the separate kernels that it replaces, and their gradients."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.native import calls
from opforge.native.calls import cross_entropy
from opforge.native.threads import parallel

TOLERANCE = {"float16": 4e-3, "float32": 3e-6, "float64": 1e-13}


def fused(x, label, dtype, weight=1.0, dloss=None, threads=None):
    """Return loss and gradient; `dloss` defaults to ones."""
    saved_threads = parallel.set_num_threads(threads or parallel.get_num_threads())
    try:
        data, rows = nd.array(x, dtype=dtype), x.shape[:-1]
        classes = nd.array(label, dtype=label.dtype)
        out = nd.zeros(label.shape, dtype=dtype)
        saved = nd.zeros((*rows, 2), dtype="float64" if dtype == "float64" else "float32")
        cross_entropy.softmax_cross_entropy(data, classes, out, saved, weight)
        head = nd.array(np.ones(label.shape) if dloss is None else dloss, dtype=dtype)
        dx = nd.zeros(x.shape, dtype=dtype)
        cross_entropy.softmax_cross_entropy_grad(head, data, classes, saved, dx, weight)
    finally:
        parallel.set_num_threads(saved_threads)
    return out.asnumpy(), dx.asnumpy()


def composed(x, label, dtype, weight, dloss):
    """Compute the same with separate kernels."""
    data, classes = nd.array(x, dtype=dtype), nd.array(label, dtype=label.dtype)
    logs, loss = nd.zeros(x.shape, dtype=dtype), nd.zeros(label.shape, dtype=dtype)
    calls.softmax(data, logs, log=True)
    calls.pick(logs, classes, loss)
    dlogs, dx = nd.zeros(x.shape, dtype=dtype), nd.zeros(x.shape, dtype=dtype)
    calls.pick_grad(nd.array(-weight * dloss, dtype=dtype), classes, dlogs)
    calls.softmax_grad(dlogs, logs, dx, log=True)
    return -weight * loss.asnumpy(), dx.asnumpy()


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("label_dtype", ["float32", "int32", "int64"])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (64, 10), (33, 1000), (2, 3, 37), (5,)])
def test_matches_the_composition(dtype, label_dtype, shape):
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(shape) * 5).astype(dtype)
    rows = shape[:-1] or (1,)
    label = rng.integers(-3, shape[-1] + 3, rows).astype(label_dtype)
    dloss = rng.standard_normal(rows).astype(dtype)
    got = fused(x, label, dtype, 0.5, dloss)
    want = composed(x, label, dtype, 0.5, dloss)
    for have, expected in zip(got, want, strict=True):
        np.testing.assert_allclose(have, expected, rtol=TOLERANCE[dtype], atol=5 * TOLERANCE[dtype])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_numbers_match_the_composition(bad):
    for n in (3, 31, 100):
        for position in (0, n - 1):
            x = np.random.default_rng(2).standard_normal((3, n)).astype(np.float32)
            x[1, position] = bad
            label = np.array([0, position, n - 1])
            one = np.ones(3, np.float32)
            for have, expected in zip(
                fused(x, label, "float32"), composed(x, label, "float32", 1.0, one), strict=True
            ):
                np.testing.assert_allclose(have, expected, rtol=1e-5, atol=1e-5)


def test_results_do_not_depend_on_threads():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((501, 103)).astype(np.float32)
    label = rng.integers(0, 103, 501)
    found = [fused(x, label, "float32", threads=threads) for threads in (1, 2, 5)]
    for loss, dx in found[1:]:
        np.testing.assert_array_equal(loss, found[0][0])
        np.testing.assert_array_equal(dx, found[0][1])


@pytest.mark.parametrize("req", ["write", "add", "null", "inplace"])
def test_requests_and_a_gradient_in_place(req):
    x = np.random.default_rng(4).standard_normal((4, 6)).astype(np.float32)
    label, one = nd.array([0, 5, 2, 2]), nd.ones((4,))
    loss, dx = fused(x, np.array([0, 5, 2, 2]), "float32")
    data, saved = nd.array(x), nd.zeros((4, 2))
    out = nd.ones((4,))
    cross_entropy.softmax_cross_entropy(data, label, out, saved, req=req)
    want = {"add": loss + 1, "null": np.ones(4)}.get(req, loss)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-6)
    cross_entropy.softmax_cross_entropy(data, label, out, saved)
    cross_entropy.softmax_cross_entropy_grad(one, data, label, saved, data, req=req)
    want = {"add": x + dx, "null": x}.get(req, dx)
    np.testing.assert_allclose(data.asnumpy(), want, rtol=1e-6, atol=1e-7)


def test_zero_sizes():
    assert fused(np.zeros((0, 4), np.float32), np.zeros(0), "float32")[0].shape == (0,)
    with pytest.raises(ShapeError, match="axis of length 0"):
        fused(np.zeros((3, 0), np.float32), np.zeros(3), "float32")


def test_errors_name_argument_and_numbers():
    x, label, saved = nd.zeros((3, 4)), nd.zeros((3,)), nd.zeros((3, 2))
    with pytest.raises(ShapeError, match=r"'label' has shape \(4,\), expected \(3,\) or \(3, 1\)"):
        cross_entropy.softmax_cross_entropy(x, nd.zeros((4,)), label, saved)
    with pytest.raises(ShapeError, match=r"'saved' has shape \(3,\), expected \(3, 2\)"):
        cross_entropy.softmax_cross_entropy(x, label, label, label)
    with pytest.raises(DTypeError, match="'out' has dtype float64, expected float32"):
        cross_entropy.softmax_cross_entropy(x, label, nd.zeros((3,), dtype="float64"), saved)
    with pytest.raises(DTypeError, match="'x' has dtype int32"):
        cross_entropy.softmax_cross_entropy(nd.zeros((3, 4), dtype="int32"), label, label, saved)
    with pytest.raises(ShapeError, match=r"softmax_cross_entropy_grad: 'out' has shape \(3,\)"):
        cross_entropy.softmax_cross_entropy_grad(label, x, label, saved, label)
