"""Loops with workers: their memory, unique indices, statuses that end the loop; scratch memory."""

import threading

import numpy as np
import pytest

import opforge
from opforge import nd
from opforge.base.errors import ShapeError
from opforge.native.threads.parallel import get_num_threads, set_num_threads

from .declarations import declare_all, registered
from .heavy import declare_heavy


@pytest.fixture(scope="module", autouse=True)
def operators(heavy, checks):
    with registered([*declare_heavy(heavy), *declare_all(checks)], "abi-heavy"):
        yield


@pytest.fixture(params=[1, 2, 5])
def threads(request):
    before = set_num_threads(request.param)
    yield request.param
    set_num_threads(before)


@pytest.mark.parametrize("count", [1, 63, 64, 129, 100_000])
def test_each_element_is_processed_once_by_one_worker(threads, count):
    for nested in (0, 1):
        found = nd.abi_workers(nd.zeros((count,), dtype="float64"), nested=nested).asnumpy()
        np.testing.assert_array_equal(found, np.arange(count))


def test_an_empty_loop():
    assert nd.abi_workers(nd.zeros((0,), dtype="float64")).shape == (0,)


def test_workers_after_the_number_of_threads_decreased():
    """Threads about to retire may still take part in the next loops."""
    before = get_num_threads()
    x = nd.zeros((100_000,), dtype="float64")
    try:
        for count in (6, 1, 4, 2, 5, 1) * 10:
            set_num_threads(count)
            np.testing.assert_array_equal(nd.abi_workers(x).asnumpy(), np.arange(100_000))
    finally:
        set_num_threads(before)


@pytest.mark.parametrize("stop", [0, 5, 99_999])
def test_a_status_ends_the_loop(threads, stop):
    x = nd.zeros((100_000,), dtype="float64")
    with pytest.raises(ShapeError, match=f"abi_workers.*stopped at {stop}"):
        nd.abi_workers(x, stop=stop).wait_to_read()


@pytest.mark.parametrize(
    ("scratch", "error", "text"),
    [
        (-1, ShapeError, "scratch_bytes is negative"),
        (1 << 50, MemoryError, "out of memory for"),
    ],
)
def test_invalid_scratch_sizes_are_rejected(scratch, error, text):
    with pytest.raises(Exception, match=text) as caught:
        nd.abi_workers(nd.zeros((10,), dtype="float64"), scratch=scratch)
    assert isinstance(caught.value.__cause__, error)


@pytest.mark.usefixtures("no_collector")
def test_scratch_reuses_released_blocks():
    opforge.release_pool()
    x = nd.ones((1,), dtype="float64")
    nd.abi_scratch(x)
    before = opforge.memory_stats()
    pooled = before["pool_bytes"]
    assert pooled > 7000
    for _ in range(100):
        nd.abi_scratch(x)
    stats = opforge.memory_stats()
    assert stats["lent_bytes"] == before["lent_bytes"]
    assert stats["pool_bytes"] <= pooled + 128, "only the outputs of the calls are allocated"
    # Blocks unused by other threads serve arrays, and are released with the others.
    assert opforge.release_pool() >= pooled - 128
    assert opforge.memory_stats()["pool_bytes"] == 0


def test_many_threads_use_scratch_concurrently():
    wrong = []

    def work():
        for _ in range(300):
            y = nd.abi_scratch(nd.ones((1,), dtype="float64"))
            if y.asscalar() != 2 * sum(range(1, 8)):
                wrong.append(y)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
