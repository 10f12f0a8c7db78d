"""Moments and batch normalisation against float64 NumPy."""

import numpy as np
import pytest

from opforge.base.errors import ShapeError
from opforge.native.calls import channels

from ..arrays import array_of, normal

TOLERANCE = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-11}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("shape", "axes"), [((4, 7), (0,)), ((4, 7), ()), ((6, 5, 8, 9), (0, 2, 3)), ((70, 3000), (1,))]
)
def test_moments(dtype, shape, axes):
    x = normal(shape, dtype) + np.asarray(3, dtype)
    kept = tuple(d for i, d in enumerate(shape) if axes and i not in axes) or (1,)
    mean, var = array_of(np.ones(kept, dtype)), array_of(np.ones(kept, dtype))
    channels.moments(array_of(x), mean, var, axes)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(
        mean.asnumpy(), wide.mean(axes or None).reshape(kept), rtol=TOLERANCE[dtype]
    )
    np.testing.assert_allclose(
        var.asnumpy(), wide.var(axes or None).reshape(kept), rtol=TOLERANCE[dtype]
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((5, 3, 4, 6), 1),
        ((50, 7), 1),
        ((4, 6, 5), -1),
        ((3, 200), 0),
        ((2, 3, 40, 41), 1),  # 16-bit floats: several parts of a row
        ((6, 1500), 1),  # and of the channels of one position
    ],
)
@pytest.mark.parametrize("use_global_stats", [False, True])
def test_batch_norm_and_gradients(dtype, shape, axis, use_global_stats):
    n, others = shape[axis], tuple(i for i in range(len(shape)) if i != axis % len(shape))
    view = [1] * len(shape)
    view[axis] = n
    x, dy, gamma, beta = (normal(s, dtype, i) for i, s in enumerate((shape, shape, n, n)))
    wide, d = x.astype(np.float64), dy.astype(np.float64)
    mean, var = wide.mean(others), wide.var(others)
    if use_global_stats:
        mean, var = mean + 0.5, var * 2
    mean, var = mean.astype(dtype), var.astype(dtype)
    m, s = (
        mean.astype(np.float64).reshape(view),
        np.sqrt(var.astype(np.float64).reshape(view) + 1e-3),
    )
    g = gamma.astype(np.float64).reshape(view)
    hat = (wide - m) / s
    out = array_of(np.ones(shape, dtype))
    arrays = [array_of(v) for v in (mean, var)]
    channels.batch_norm(
        array_of(x), array_of(gamma), array_of(beta), *arrays, out, axis, 1e-3, "add"
    )
    tol = {"rtol": TOLERANCE[dtype], "atol": 10 * TOLERANCE[dtype]}
    np.testing.assert_allclose(
        out.asnumpy(), 1 + hat * g + beta.astype(np.float64).reshape(view), **tol
    )

    dx, dgamma, dbeta = (array_of(np.ones(v, dtype)) for v in (shape, n, n))
    channels.batch_norm_grad(
        array_of(dy),
        array_of(x),
        array_of(gamma),
        *arrays,
        dx,
        dgamma,
        dbeta,
        axis,
        1e-3,
        use_global_stats,
        ["write", "add", "write"],
    )
    count = wide.size // n
    sums = d.sum(others, keepdims=True), (d * hat).sum(others, keepdims=True)
    centred = d if use_global_stats else d - sums[0] / count - hat * sums[1] / count
    room = {"rtol": 5 * TOLERANCE[dtype], "atol": 40 * TOLERANCE[dtype]}
    np.testing.assert_allclose(dx.asnumpy(), g / s * centred, **room)
    np.testing.assert_allclose(dgamma.asnumpy(), 1 + sums[1].ravel(), **room)
    np.testing.assert_allclose(dbeta.asnumpy(), sums[0].ravel(), **room)


@pytest.mark.parametrize("shape", [(0, 3, 2), (4, 0), (2, 3, 0)])
def test_zero_sizes(shape):
    x = array_of(np.zeros(shape, np.float32))
    vector = array_of(np.ones(shape[1], np.float32))
    channels.batch_norm(x, vector, None, vector, vector, x)
    dbeta = array_of(np.ones(shape[1], np.float32))
    channels.batch_norm_grad(x, x, vector, vector, vector, x, None, dbeta)
    assert not dbeta.asnumpy().any()


def test_errors_name_argument_and_numbers():
    x, one = array_of(np.zeros((2, 3), np.float32)), array_of(np.zeros(1, np.float32))
    with pytest.raises(ShapeError, match=r"batch_norm: 'mean' has shape \(1,\), expected \(3,\)"):
        channels.batch_norm(x, None, None, one, one, x)
    with pytest.raises(ShapeError, match=r"moments: 'var' has shape \(1,\), expected \(2,\)"):
        channels.moments(x, array_of(np.zeros(2, np.float32)), one, (1,))


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), ()])
def test_large_mean_costs_the_variance_no_digits(axes):
    x = (np.random.default_rng(3).standard_normal((40, 50, 60)) + 1e5).astype(np.float32)
    wide = x.astype(np.float64)
    want = wide.var(axes or None)
    mean, var = (array_of(np.zeros(want.shape or (1,), np.float32)) for _ in range(2))
    channels.moments(array_of(x), mean, var, axes)
    np.testing.assert_allclose(var.asnumpy().reshape(want.shape), want, rtol=1e-6)
    np.testing.assert_allclose(
        mean.asnumpy().reshape(want.shape), wide.mean(axes or None), rtol=1e-7
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 16, 64, 80])
@pytest.mark.parametrize("inner", [(1, 1), (3, 5), (23,)])
def test_blocked_channels_equal_plain_channels(dtype, lanes, inner):
    n = 2 * lanes
    x, dy = (normal((3, n, *inner), dtype, i) for i in range(2))
    gamma, beta, mean, var = (np.abs(normal(n, dtype, i)) for i in range(4))

    def blocked(values):
        groups = values.reshape(3, 2, lanes, *inner)
        return np.ascontiguousarray(np.moveaxis(groups, 2, -1))

    def found(x, dy, is_blocked):
        out, dx = (array_of(np.ones(x.shape, dtype)) for _ in range(2))
        means, variances, dgamma, dbeta = (array_of(np.ones(n, dtype)) for _ in range(4))
        kept = (1, x.ndim - 1) if is_blocked else (1,)
        x, dy = array_of(x), array_of(dy)
        channels.moments(
            x, means, variances, tuple(axis for axis in range(x.ndim) if axis not in kept)
        )
        vectors = [array_of(v) for v in (gamma, beta, mean, var)]
        channels.batch_norm(x, *vectors, out, blocked=is_blocked)
        channels.batch_norm_grad(
            dy, x, *vectors[::2], vectors[3], dx, dgamma, dbeta, blocked=is_blocked
        )
        return [a.asnumpy() for a in (out, dx, means, variances, dgamma, dbeta)]

    plain, divided = found(x, dy, False), found(blocked(x), blocked(dy), True)
    for at, (have, want) in enumerate(zip(divided, plain, strict=True)):
        np.testing.assert_allclose(
            have,
            blocked(want) if at < 2 else want,
            rtol=5 * TOLERANCE[dtype],
            atol=20 * TOLERANCE[dtype],
        )


def test_lanes_are_no_axis_of_groups():
    x, vector = (array_of(np.zeros(shape, np.float32)) for shape in ((2, 3, 4), 12))
    with pytest.raises(ShapeError, match=r"'x' of shape \(2, 3, 4\) is blocked"):
        channels.batch_norm(x, None, None, vector, vector, x, axis=-1, blocked=True)
    with pytest.raises(ShapeError, match=r"'mean' has shape \(12,\), expected \(3,\)"):
        channels.batch_norm(x, None, None, vector, vector, x)
    channels.batch_norm(x, None, None, vector, vector, x, blocked=True)
