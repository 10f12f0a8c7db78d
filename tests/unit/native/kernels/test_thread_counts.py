"""Multithreaded kernels give the same bits for every number of threads."""

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


def output_of(shape, call, dtype="float32"):
    """Return the array of `shape` that `call` writes."""
    out = nd.zeros(shape, dtype=dtype)
    call(out)
    return [out]


def reduction(name, x, axes, shape, dtype="float32"):
    return lambda: output_of(
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


def random_numbers(name, *args):
    def run():
        random.seed(5)
        return output_of((50001,), lambda out: getattr(random, name)(out, *args))

    return run


def take_grad():
    out = nd.zeros((37, 5))
    calls.take_grad(nd.array(GRADS), nd.array(ROWS), out)
    return [out]


CASES = {
    "unary": lambda: output_of(WIDE.shape, lambda out: calls.unary("tanh", nd.array(WIDE), out)),
    "gammaln": lambda: output_of(
        WIDE.shape, lambda out: calls.unary("gammaln", nd.array(WIDE), out)
    ),
    "binary": lambda: output_of(
        WIDE.shape, lambda out: calls.binary("divide", nd.array(WIDE), nd.array(WIDE + 3), out)
    ),
    "broadcast": lambda: output_of(
        CUBE.shape,
        lambda out: calls.binary("hypot", nd.array(CUBE), nd.array(CUBE[:1, :, :1]), out),
    ),
    "scalar": lambda: output_of(
        WIDE.shape, lambda out: calls.binary_scalar("power", nd.array(abs(WIDE)), 1.7, out)
    ),
    "cast": lambda: output_of(WIDE.shape, lambda out: calls.cast(nd.array(WIDE), out), "float16"),
    "clip": lambda: output_of(WIDE.shape, lambda out: calls.clip(nd.array(WIDE), -1, 1, out)),
    "where": lambda: output_of(
        WIDE.shape,
        lambda out: calls.where(nd.array(WIDE > 0), nd.array(WIDE), nd.array(-WIDE), out),
    ),
    "sum of all": reduction("sum", WIDE, (), (1,)),
    "sum of rows": reduction("sum", WIDE, (1,), (37,)),
    "sum of columns": reduction("sum", TALL, (0,), (37,)),
    "sum of outer": reduction("sum", CUBE, (0, 2), (31,)),
    "mean of middle": reduction("mean", CUBE, (1,), (12, 401)),
    "norm": reduction("norm", WIDE, (), (1,)),
    "prod": reduction("prod", 1 + WIDE / 1000, (1,), (37,)),
    "max": reduction("max", WIDE, (0,), (5003,)),
    "float64 sum": reduction("sum", WIDE, (), (1,), "float64"),
    "argmax": lambda: output_of(
        (37,), lambda out: calls.argreduce("argmax", nd.array(WIDE), out, 1), "int64"
    ),
    "cumsum": lambda: output_of((WIDE.size,), lambda out: calls.cumsum(nd.array(WIDE), out)),
    "cumsum of rows": lambda: output_of(
        WIDE.shape, lambda out: calls.cumsum(nd.array(WIDE), out, 1)
    ),
    "cumsum of columns": lambda: output_of(
        TALL.shape, lambda out: calls.cumsum(nd.array(TALL), out, 0, True)
    ),
    "softmax": softmax,
    "layer_norm": layer_norm,
    "batch_norm": batch_norm,
    "transpose": lambda: output_of(
        (401, 12, 31), lambda out: calls.transpose(nd.array(CUBE), out, (2, 0, 1))
    ),
    "tile": lambda: output_of((74, 10006), lambda out: calls.tile(nd.array(WIDE), out, (2, 2))),
    "take": lambda: output_of(
        (4000, 37), lambda out: calls.take(nd.array(TALL), nd.array(ROWS), out)
    ),
    "take_grad": take_grad,
    "batch_dot": lambda: output_of(
        (12, 31, 31), lambda out: calls.batch_dot(nd.array(CUBE), nd.array(CUBE), out, False, True)
    ),
    "uniform": random_numbers("uniform"),
    "normal": random_numbers("normal"),
    "gamma": random_numbers("gamma", 0.7),
    "poisson": random_numbers("poisson", 20.0),
}

PRODUCTS = {
    "gemm": lambda: output_of(
        (300, 300), lambda out: calls.gemm(nd.array(SQUARE), nd.array(SQUARE), out, False, True)
    ),
    "product of vectors": lambda: output_of(
        (1, 1),
        lambda out: calls.gemm(nd.array(WIDE.reshape(1, -1)), nd.array(WIDE.reshape(-1, 1)), out),
    ),
    "product by a vector": lambda: output_of(
        (5003, 1), lambda out: calls.gemm(nd.array(TALL), nd.array(WIDE[:, :1]), out)
    ),
    "tall gemm": lambda: output_of(
        (37, 37), lambda out: calls.gemm(nd.array(TALL), nd.array(TALL), out, True)
    ),
}


@pytest.fixture(autouse=True)
def _restore_threads():
    before = parallel.get_num_threads()
    yield
    parallel.set_num_threads(before)


@pytest.mark.parametrize("name", CASES)
def test_results_do_not_depend_on_the_number_of_threads(name):
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
    """BLAS adds in a different order if a product is split at other positions."""
    results = []
    for threads in (1, 2, 3):
        parallel.set_num_threads(threads)
        results.append(PRODUCTS[name]()[0].asnumpy())
        again = PRODUCTS[name]()[0].asnumpy()
        assert again.tobytes() == results[-1].tobytes()
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-4, atol=1e-3)


def test_number_of_threads_can_be_set():
    for threads in (3, 1):
        parallel.set_num_threads(threads)
        assert parallel.get_num_threads() == threads
