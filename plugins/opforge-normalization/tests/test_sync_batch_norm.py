"""SyncBatchNorm on several ranks, here threads, against BatchNorm of the complete batch."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.plugin_api import AttributeValueError, ranks

RNG = np.random.default_rng(0)
X, DY = RNG.standard_normal((2, 7, 4, 3))
GAMMA, BETA = RNG.standard_normal((2, 4))
_SECONDS = 60  # timeout of a thread that waits for one that failed


class Threads:
    """Ranks that are threads, each with its number."""

    rank = 0  # of the process, whose random numbers all threads share

    def __init__(self, size):
        self.size = size
        self.names = []
        self._here = threading.local()
        self._addends = [None] * size
        self._barrier = threading.Barrier(size)

    def run(self, function):
        """Return the function's result on each rank."""

        def started(rank):
            self._here.rank = rank
            return function(rank)

        with ThreadPoolExecutor(self.size) as pool:
            return list(pool.map(started, range(self.size)))

    def sum(self, name, addend):
        self._barrier.wait(_SECONDS)
        self._addends[self._here.rank] = addend
        self._barrier.wait(_SECONDS)
        if self._here.rank == 0:
            self.names.append(name)
        return sum(self._addends)


@pytest.fixture
def three():
    threads = Threads(3)
    ranks.join(threads)
    yield threads
    ranks.leave()


def step(function, x, dy, dtype="float64", grad_req="write", data_req="write", **kwargs):
    """Return output, gradients and moving averages after two passes."""
    data, gamma, beta = (nd.array(a, dtype=dtype) for a in (x, GAMMA, BETA))
    aux = nd.zeros((4,), dtype=dtype), nd.ones((4,), dtype=dtype)
    for array, req in ((data, data_req), (gamma, grad_req), (beta, grad_req)):
        array.attach_grad(req)
    for _ in range(2):
        with autograd.record():
            y = function(data, gamma, beta, *aux, **kwargs)
        y.backward(nd.array(dy, dtype=dtype))
    found = [y, data.grad, gamma.grad, beta.grad, *aux]
    return [None if one is None else one.asnumpy() for one in found]


@pytest.mark.parametrize("cuts", [[2, 5], [0, 6]], ids=["unequal", "empty"])
@pytest.mark.parametrize(
    ("kwargs", "dtype"),
    [
        ({}, "float64"),
        ({"fix_gamma": False}, "float64"),
        ({"fix_gamma": False, "data_req": "add", "grad_req": "add"}, "float32"),
        ({"fix_gamma": False, "grad_req": "null"}, "float32"),
        ({"fix_gamma": False, "data_req": "null"}, "float32"),
        ({"fix_gamma": False, "use_global_stats": True}, "float64"),
    ],
)
def test_ranks_agree_with_one_complete_batch(three, cuts, kwargs, dtype):
    parts = list(zip(np.split(X, cuts), np.split(DY, cuts), strict=True))

    def of_rank(rank):
        return step(
            nd.contrib.SyncBatchNorm, *parts[rank], dtype, key="layer", ndev=0, eps=0.1, **kwargs
        )

    found = three.run(of_rank)
    want = step(nd.BatchNorm, X, DY, dtype, eps=0.1, **kwargs)
    near = {"float64": 1e-10, "float32": 1e-4}[dtype]
    for i in range(2):  # each rank has those of its samples
        if want[i] is not None:
            have = np.concatenate([one[i] for one in found])
            np.testing.assert_allclose(have, want[i], near, near)
    for i in (2, 3):  # a trainer sums these over the ranks
        if want[i] is not None:
            np.testing.assert_allclose(sum(one[i] for one in found), want[i], near, near)
    for i in (4, 5):  # identical on all ranks
        for one in found:
            np.testing.assert_allclose(one[i], want[i], near, near)
            assert np.array_equal(one[i], found[0][i])
    both = ["layer forward"] + ["layer backward"] * (kwargs.get("data_req") != "null")
    assert three.names == ([] if "use_global_stats" in kwargs else both * 2)


def test_float16_data_has_float32_moments(three):
    parts = np.split(X * 0.5 + 30, [3, 5])

    def of_rank(rank):
        arrays = (nd.array(GAMMA), nd.array(BETA), nd.zeros(4), nd.ones(4))
        with autograd.train_mode():
            data = nd.array(parts[rank], dtype="float16")
            return nd.contrib.SyncBatchNorm(data, *arrays, key="k", ndev=3, fix_gamma=False)

    have = np.concatenate([one.asnumpy() for one in three.run(of_rank)])
    halves = (X * 0.5 + 30).astype(np.float16).astype(np.float64)
    mean, var = halves.mean((0, 2)), halves.var((0, 2))
    want = (halves - mean[:, None]) / np.sqrt(var + 1e-3)[:, None]
    want = want * GAMMA[:, None] + BETA[:, None]
    assert have.dtype == np.float16
    np.testing.assert_allclose(have, want, 2e-3, 4e-3)


def test_a_mean_far_from_zero_does_not_lose_the_variance(three):
    parts = np.split((X + 1e4).astype(np.float32), [2, 4])

    def of_rank(rank):
        arrays = (nd.ones(4), nd.zeros(4), nd.zeros(4), nd.ones(4))
        with autograd.train_mode():
            return nd.contrib.SyncBatchNorm(
                *(nd.array(parts[rank]), *arrays), key="k", ndev=3, output_mean_var=True
            )[2].asnumpy()

    batch = np.concatenate(parts).astype(np.float64)
    for var in three.run(of_rank):
        np.testing.assert_allclose(var, batch.var((0, 2)), 1e-3)


def test_the_number_of_ranks_is_checked(three):
    arrays = [nd.array(a) for a in (X, GAMMA, BETA)]
    with (
        autograd.train_mode(),
        pytest.raises(AttributeValueError, match="'k': ndev is 2; expected 3"),
    ):
        nd.contrib.SyncBatchNorm(*arrays, nd.zeros(4), nd.ones(4), key="k", ndev=2)


def test_one_device_or_a_prediction_does_not_communicate(three):
    arrays = [nd.array(a) for a in (X, GAMMA, BETA)]
    with autograd.train_mode():
        nd.contrib.SyncBatchNorm(*arrays, nd.zeros(4), nd.ones(4), key="k")
    with autograd.predict_mode():
        nd.contrib.SyncBatchNorm(*arrays, nd.zeros(4), nd.ones(4), key="k", ndev=0)
    assert three.names == []
