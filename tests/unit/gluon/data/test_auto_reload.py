"""`auto_reload` and `persistent_workers`: state kept and data loaded between iterations."""

import gc
import multiprocessing
import os
import pickle
import signal
import threading

import numpy as np
import pytest

from opforge.base.errors import OpforgeError
from opforge.gluon.data import BatchSampler, DataLoader, SequentialSampler, SimpleDataset

PROCESSES = {"num_workers": 2}
THREADS = {"num_workers": 2, "thread_pool": True}
ENGINE = {"prefetch": 2}
EVERYWHERE = pytest.mark.parametrize("how", [PROCESSES, THREADS, ENGINE], ids=str)


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    gc.collect()
    assert multiprocessing.active_children() == []


class Counted(SequentialSampler):
    """A sampler that counts how often an order was requested."""

    asked = 0

    def __iter__(self):
        self.asked += 1
        return super().__iter__()


def values_of(loader):
    return [batch.asnumpy().tolist() for batch in loader]


def counted(size=6):
    sampler = Counted(size)
    return sampler, BatchSampler(sampler, 2)


@EVERYWHERE
def test_the_next_iteration_begins_to_load_where_one_ends(how):
    sampler, batches = counted()
    loader = DataLoader(SimpleDataset(range(6)), batch_sampler=batches, auto_reload=True, **how)
    assert sampler.asked == 1
    for iteration in range(1, 4):
        batches = iter(loader)
        assert sampler.asked == iteration  # the iteration in use had begun before
        assert [batch.asnumpy().tolist() for batch in batches] == [[0, 1], [2, 3], [4, 5]]
        assert sampler.asked == iteration + 1
    loader.close()


@EVERYWHERE
def test_loading_begins_with_the_iteration_by_default(how):
    sampler, batches = counted()
    loader = DataLoader(SimpleDataset(range(6)), batch_sampler=batches, **how)
    for iteration in range(3):
        assert sampler.asked == iteration
        values_of(loader)
    loader.close()


def test_prefetched_batches_are_ready():
    loaded = threading.Semaphore(0)

    def load(i):
        loaded.release()
        return i

    data = SimpleDataset(range(4)).transform(load)
    loader = DataLoader(data, 2, auto_reload=True, **THREADS)
    assert all(loaded.acquire(timeout=60) for _ in range(4))  # no order was requested
    assert values_of(loader) == [[0, 1], [2, 3]]
    assert all(loaded.acquire(timeout=60) for _ in range(4))
    loader.close()


def test_simultaneous_iterations_do_not_share_prefetched_batches():
    loader = DataLoader(SimpleDataset(range(6)), 2, auto_reload=True, **PROCESSES)
    pairs = [(a.asnumpy()[0], b.asnumpy()[0]) for a, b in zip(loader, loader, strict=True)]
    assert pairs == [(i, i) for i in (0, 2, 4)]
    assert values_of(loader) == [[0, 1], [2, 3], [4, 5]]


def test_shuffled_orders_differ_between_iterations_with_reloading():
    loader = DataLoader(SimpleDataset(range(50)), 50, shuffle=True, auto_reload=True, **THREADS)
    orders = [values_of(loader)[0] for _ in range(3)]
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert orders[0] != orders[1] != orders[2]
    loader.close()


def test_closed_and_pickled_loaders_restart():
    loader = DataLoader(SimpleDataset(range(4)), 2, auto_reload=True, **PROCESSES)
    loader.close()
    assert multiprocessing.active_children() == []
    assert values_of(loader) == values_of(pickle.loads(pickle.dumps(loader)))


def test_a_worker_that_died_between_iterations_is_reported_and_replaced():
    pids = SimpleDataset(range(4)).transform(lambda _: os.getpid())
    loader = DataLoader(pids, 1, auto_reload=True, persistent_workers=True, **PROCESSES)
    before = {int(pid.asnumpy()[0]) for pid in loader}
    for child in multiprocessing.active_children():
        os.kill(child.pid, signal.SIGKILL)
        child.join()
    with pytest.raises(OpforgeError, match="died with exit code -9"):
        for _ in range(2):  # the batches that were ready may still arrive
            list(loader)
    after = {int(pid.asnumpy()[0]) for pid in loader}
    assert len(after) > 0 and not before & after


def test_without_workers_and_prefetching_nothing_is_loaded_ahead():
    sampler, batches = counted()
    loader = DataLoader(SimpleDataset(range(6)), batch_sampler=batches, auto_reload=True)
    assert sampler.asked == 0
    assert values_of(loader) == [[0, 1], [2, 3], [4, 5]] and sampler.asked == 1


@pytest.mark.parametrize("how", [PROCESSES, THREADS], ids=str)
def test_persistent_workers_resample_in_each_iteration(how):
    sampler, batches = counted()
    data = SimpleDataset(range(6))
    loader = DataLoader(data, batch_sampler=batches, persistent_workers=True, **how)
    for iteration in range(1, 4):
        assert values_of(loader) == [[0, 1], [2, 3], [4, 5]]
        assert sampler.asked == iteration
    loader.close()


def test_persistent_workers_stay():
    pids = SimpleDataset(range(8)).transform(lambda _: os.getpid())
    loader = DataLoader(pids, 1, persistent_workers=True, **PROCESSES)
    rounds = [{int(pid.asnumpy()[0]) for pid in loader} for _ in range(3)]
    assert len(set().union(*rounds)) <= 2 and os.getpid() not in rounds[0]


@pytest.mark.parametrize("others", [{}, {"prefetch": 2}])
def test_persistent_workers_need_workers(others):
    with pytest.raises(ValueError, match=r"persistent_workers=True needs workers.*num_workers=1"):
        DataLoader(np.zeros(4), 2, persistent_workers=True, **others)


@EVERYWHERE
def test_refresh_loads_the_next_iteration_and_clean_discards_it(how):
    sampler, batches = counted()
    loader = DataLoader(SimpleDataset(range(6)), batch_sampler=batches, **how)
    loader.refresh()
    assert sampler.asked == 1
    loader.clean()
    loader.refresh()
    assert sampler.asked == 2
    assert values_of(loader) == [[0, 1], [2, 3], [4, 5]]
    assert sampler.asked == 2
    assert values_of(loader) == [[0, 1], [2, 3], [4, 5]]
    assert sampler.asked == 3
    loader.close()


def test_refresh_without_batches_to_load_ahead():
    loader = DataLoader(SimpleDataset(range(3)), 2)
    loader.refresh()
    loader.clean()
    assert values_of(loader) == [[0, 1], [2]]
