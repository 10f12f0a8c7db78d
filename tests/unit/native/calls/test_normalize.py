"""Layer normalisation and its gradients against float64 NumPy."""

import numpy as np
import pytest

from opforge.base.errors import DTypeError, ShapeError
from opforge.native.calls import normalize

from ..arrays import array_of, normal

TOLERANCE = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-11}


def along(vector, ndim, axis):
    shape = [1] * ndim
    shape[axis] = -1
    return vector.astype(np.float64).reshape(shape)


def reference(x, gamma, beta, axis, eps):
    x = x.astype(np.float64)
    mean, std = x.mean(axis, keepdims=True), np.sqrt(x.var(axis, keepdims=True) + eps)
    hat = (x - mean) / std
    return hat * along(gamma, x.ndim, axis) + along(beta, x.ndim, axis), mean, std, hat


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((4, 7), -1), ((4, 7), 0), ((3, 50, 5), 1), ((200, 300), 1), ((9,), 0), ((2, 1), 1)],
)
def test_forward_and_gradients(dtype, shape, axis):
    n, kept = shape[axis], tuple(d for i, d in enumerate(shape) if i != axis % len(shape))
    x, dy = normal(shape, dtype), normal(shape, dtype, 1)
    gamma, beta = normal(n, dtype, 2), normal(n, dtype, 3)
    out, mean, std = (array_of(np.ones(s, dtype)) for s in (shape, kept or (1,), kept or (1,)))
    normalize.layer_norm(array_of(x), array_of(gamma), array_of(beta), out, mean, std, axis, 1e-3)
    want, m, s, hat = reference(x, gamma, beta, axis, 1e-3)
    tol = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype] * 5}
    np.testing.assert_allclose(out.asnumpy(), want, **tol)
    np.testing.assert_allclose(mean.asnumpy(), m.reshape(mean.shape), **tol)
    np.testing.assert_allclose(std.asnumpy(), s.reshape(std.shape), **tol)

    dx, dgamma, dbeta = (array_of(np.ones(v, dtype)) for v in (shape, n, n))
    mean, std = (array_of(v.astype(dtype).reshape(kept or (1,))) for v in (m, s))
    normalize.layer_norm_grad(
        array_of(dy),
        array_of(x),
        array_of(gamma),
        mean,
        std,
        dx,
        dgamma,
        dbeta,
        axis,
        ["add", "write", "add"],
    )
    d, g = dy.astype(np.float64), dy * along(gamma, len(shape), axis)
    others = tuple(i for i in range(len(shape)) if i != axis % len(shape))
    want = 1 + (g - g.mean(axis, keepdims=True) - hat * (g * hat).mean(axis, keepdims=True)) / s
    room = {"rtol": TOLERANCE[dtype] * 10, "atol": TOLERANCE[dtype] * 40 / min(s.min(), 1)}
    np.testing.assert_allclose(dx.asnumpy(), want, **room)
    np.testing.assert_allclose(dgamma.asnumpy(), (d * hat).sum(others), **room)
    np.testing.assert_allclose(dbeta.asnumpy(), 1 + d.sum(others), **room)


def test_large_mean_costs_no_digits():
    x = (normal((3, 4000), "float64") + 1e4).astype(np.float32)
    out = array_of(x)
    normalize.layer_norm(array_of(x), None, None, out, None, None, -1, 0.0)
    want = (x - x.mean(1, dtype=np.float64, keepdims=True)) / x.std(
        1, dtype=np.float64, keepdims=True
    )
    np.testing.assert_allclose(out.asnumpy(), want, atol=2e-3)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("req", ["write", "inplace", "add", "null"])
def test_each_request_in_place(axis, req):
    x = normal((6, 5), "float32")
    out = array_of(x)
    normalize.layer_norm(out, None, None, out, None, None, axis, 1e-5, req)
    want = reference(x, np.ones(1), np.zeros(1), axis, 1e-5)[0]
    want = {"add": x + want, "null": x}.get(req, want)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_zero_sizes(shape):
    x = array_of(np.zeros(shape, np.float32))
    gamma = array_of(np.ones(shape[1], np.float32))
    stat = array_of(np.ones(shape[0], np.float32))
    normalize.layer_norm(x, gamma, gamma, x, stat, stat)
    dgamma = array_of(np.ones(shape[1], np.float32))
    normalize.layer_norm_grad(x, x, gamma, stat, stat, x, dgamma, None)
    assert not dgamma.asnumpy().any()


def test_errors_name_argument_and_numbers():
    x, one = array_of(np.zeros((2, 3), np.float32)), array_of(np.zeros(1, np.float32))
    with pytest.raises(ShapeError, match=r"layer_norm: 'gamma' has shape \(1,\), expected \(3,\)"):
        normalize.layer_norm(x, one, None, x, None, None)
    with pytest.raises(ShapeError, match=r"'mean' has shape \(1,\), expected \(2,\)"):
        normalize.layer_norm(x, None, None, x, one, None)
    with pytest.raises(DTypeError, match="'x' has dtype int32"):
        normalize.layer_norm(array_of(np.zeros(3, np.int32)), None, None, x, None, None)
    with pytest.raises(ShapeError, match="layer_norm_grad: 'dy'"):
        stat = array_of(np.zeros(2, np.float32))
        normalize.layer_norm_grad(one, x, None, stat, stat, None, None, None)


@pytest.mark.parametrize("n", [1, 15, 16, 100, 1000, 9000])
@pytest.mark.parametrize(
    ("centre", "spread"), [(0, 1), (1e6, 1), (-3e4, 1e-2), (1e30, 1e25), (0, 1e-20)]
)
def test_large_means_and_small_deviations_keep_their_digits(n, centre, spread):
    x = (normal((3, n), "float64") * spread + centre).astype(np.float32)
    out, mean, std = (array_of(np.zeros(s, np.float32)) for s in ((3, n), 3, 3))
    normalize.layer_norm(array_of(x), None, None, out, mean, std, 1, 0.0 if n > 1 else 1.0)
    want, m, s, _ = reference(x, np.ones(n), np.zeros(n), 1, 0.0 if n > 1 else 1.0)
    np.testing.assert_allclose(mean.asnumpy(), m[:, 0], rtol=1e-7, atol=1e-7 * spread)
    np.testing.assert_allclose(std.asnumpy(), s[:, 0], rtol=1e-6)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-5, atol=1e-5)


def test_large_outputs_and_rows_that_do_not_divide_by_four():
    x, dy = normal((4303, 1001), "float32"), normal((4303, 1001), "float32", 1)
    gamma, beta = normal(1001, "float32", 2), normal(1001, "float32", 3)
    out, mean, std = (array_of(np.zeros(s, np.float32)) for s in (x.shape, 4303, 4303))
    normalize.layer_norm(array_of(x), array_of(gamma), array_of(beta), out, mean, std)
    want, _, s, hat = reference(x, gamma, beta, 1, 1e-5)
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-5, atol=1e-5)
    dx, dgamma, dbeta = (array_of(np.zeros(v, np.float32)) for v in (x.shape, 1001, 1001))
    normalize.layer_norm_grad(
        array_of(dy), array_of(x), array_of(gamma), mean, std, dx, dgamma, dbeta
    )
    g = dy.astype(np.float64) * gamma
    want = (g - g.mean(1, keepdims=True) - hat * (g * hat).mean(1, keepdims=True)) / s
    np.testing.assert_allclose(dx.asnumpy(), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(dgamma.asnumpy(), (dy * hat).sum(0), rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(dbeta.asnumpy(), dy.sum(0, dtype=np.float64), rtol=1e-5, atol=1e-4)
