"""Kernels that share their work out give the same bits for every number of threads."""

import numpy as np
import pytest

from opforge import nd
from opforge.native import calls
from opforge.native.calls import random
from opforge.native.threads import parallel

RNG = np.random.default_rng(17)
WIDE = RNG.normal(size=(37, 5003)).astype(np.float32)
TALL = RNG.normal(size=(5003, 37)).astype(np.float32)
CUBE = RNG.normal(size=(12, 31, 401)).astype(np.float32)
SQUARE = RNG.normal(size=(300, 310)).astype(np.float32)
ROWS = RNG.integers(0, 37, 4000).astype(np.float32)
GRADS = RNG.normal(size=(4000, 5)).astype(np.float32)


def made(shape, call, dtype="float32"):
    """Return what `call` writes into an array of `shape`."""
    out = nd.zeros(shape, dtype=dtype)
    call(out)
    return [out]


def reduced(name, x, axes, shape, dtype="float32"):
    return lambda: made(
        shape, lambda out: calls.reduce(name, nd.array(x, dtype=dtype), out, axes), dtype
    )


def layer_norm():
    x, gamma, beta = nd.array(TALL), nd.array(WIDE[:, 0]), nd.array(WIDE[:, 1])
    out, mean, std = nd.zeros(x.shape), nd.zeros((5003,)), nd.zeros((5003,))
    calls.layer_norm(x, gamma, beta, out, mean, std)
    dx, dgamma, dbeta = nd.zeros(x.shape), nd.zeros((37,)), nd.zeros((37,))
    calls.layer_norm_grad(out, x, gamma, mean, std, dx, dgamma, dbeta)
    return [out, mean, std, dx, dgamma, dbeta]


def batch_norm():
    x = nd.array(CUBE)
    gamma, beta = nd.array(CUBE[0, :, 0]), nd.array(CUBE[0, :, 1])
    mean, var, out = nd.zeros((31,)), nd.zeros((31,)), nd.zeros(x.shape)
    calls.moments(x, mean, var, (0, 2))
    calls.batch_norm(x, gamma, beta, mean, var, out)
    dx, dgamma, dbeta = nd.zeros(x.shape), nd.zeros((31,)), nd.zeros((31,))
    calls.batch_norm_grad(out, x, gamma, mean, var, dx, dgamma, dbeta)
    return [mean, var, out, dx, dgamma, dbeta]


def softmax():
    y, dx = nd.zeros(TALL.shape), nd.zeros(TALL.shape)
    calls.softmax(nd.array(TALL), y)
    calls.softmax_grad(nd.array(TALL), y, dx)
    columns = nd.zeros(WIDE.shape)
    calls.softmax(nd.array(WIDE), columns, 0, log=True)
    return [y, dx, columns]


def drawn(name, *args):
    def run():
        random.seed(5)
        return made((50001,), lambda out: getattr(random, name)(out, *args))

    return run


def scattered():
    out = nd.zeros((37, 5))
    calls.take_grad(nd.array(GRADS), nd.array(ROWS), out)
    return [out]


CASES = {
    "unary": lambda: made(WIDE.shape, lambda out: calls.unary("tanh", nd.array(WIDE), out)),
    "gammaln": lambda: made(WIDE.shape, lambda out: calls.unary("gammaln", nd.array(WIDE), out)),
    "binary": lambda: made(
        WIDE.shape, lambda out: calls.binary("divide", nd.array(WIDE), nd.array(WIDE + 3), out)
    ),
    "broadcast": lambda: made(
        CUBE.shape,
        lambda out: calls.binary("hypot", nd.array(CUBE), nd.array(CUBE[:1, :, :1]), out),
    ),
    "scalar": lambda: made(
        WIDE.shape, lambda out: calls.binary_scalar("power", nd.array(abs(WIDE)), 1.7, out)
    ),
    "cast": lambda: made(WIDE.shape, lambda out: calls.cast(nd.array(WIDE), out), "float16"),
    "clip": lambda: made(WIDE.shape, lambda out: calls.clip(nd.array(WIDE), -1, 1, out)),
    "where": lambda: made(
        WIDE.shape,
        lambda out: calls.where(nd.array(WIDE > 0), nd.array(WIDE), nd.array(-WIDE), out),
    ),
    "sum of all": reduced("sum", WIDE, (), (1,)),
    "sum of rows": reduced("sum", WIDE, (1,), (37,)),
    "sum of columns": reduced("sum", TALL, (0,), (37,)),
    "sum of outer": reduced("sum", CUBE, (0, 2), (31,)),
    "mean of middle": reduced("mean", CUBE, (1,), (12, 401)),
    "norm": reduced("norm", WIDE, (), (1,)),
    "prod": reduced("prod", 1 + WIDE / 1000, (1,), (37,)),
    "max": reduced("max", WIDE, (0,), (5003,)),
    "float64 sum": reduced("sum", WIDE, (), (1,), "float64"),
    "argmax": lambda: made(
        (37,), lambda out: calls.argreduce("argmax", nd.array(WIDE), out, 1), "int64"
    ),
    "softmax": softmax,
    "layer_norm": layer_norm,
    "batch_norm": batch_norm,
    "transpose": lambda: made(
        (401, 12, 31), lambda out: calls.transpose(nd.array(CUBE), out, (2, 0, 1))
    ),
    "tile": lambda: made((74, 10006), lambda out: calls.tile(nd.array(WIDE), out, (2, 2))),
    "take": lambda: made((4000, 37), lambda out: calls.take(nd.array(TALL), nd.array(ROWS), out)),
    "take_grad": scattered,
    "batch_dot": lambda: made(
        (12, 31, 31), lambda out: calls.batch_dot(nd.array(CUBE), nd.array(CUBE), out, False, True)
    ),
    "uniform": drawn("uniform"),
    "normal": drawn("normal"),
    "gamma": drawn("gamma", 0.7),
    "poisson": drawn("poisson", 20.0),
}

PRODUCTS = {
    "gemm": lambda: made(
        (300, 300), lambda out: calls.gemm(nd.array(SQUARE), nd.array(SQUARE), out, False, True)
    ),
    "tall gemm": lambda: made(
        (37, 37), lambda out: calls.gemm(nd.array(TALL), nd.array(TALL), out, True)
    ),
}


@pytest.fixture(autouse=True)
def _restore_threads():
    before = parallel.get_num_threads()
    yield
    parallel.set_num_threads(before)


@pytest.mark.parametrize("name", CASES)
def test_the_number_of_threads_does_not_show(name):
    results = []
    for threads in (1, 2, 3):
        parallel.set_num_threads(threads)
        results.append([out.asnumpy() for out in CASES[name]()])
    assert any(part.any() for part in results[0])
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            assert left.tobytes() == right.tobytes()


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_differ_by_rounding_at_most(name):
    """BLAS sums in another order where a cut falls elsewhere."""
    results = []
    for threads in (1, 2, 3):
        parallel.set_num_threads(threads)
        results.append(PRODUCTS[name]()[0].asnumpy())
        again = PRODUCTS[name]()[0].asnumpy()
        assert again.tobytes() == results[-1].tobytes()
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-4, atol=1e-3)


def test_the_number_of_threads_is_the_one_that_was_set():
    for threads in (3, 1):
        parallel.set_num_threads(threads)
        assert parallel.get_num_threads() == threads
