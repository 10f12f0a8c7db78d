import threading

import pytest

from opforge.gluon.data import LoaderTimeoutError, SimpleDataset
from opforge.gluon.data._thread_pool import ThreadPool
from opforge.gluon.data.batchify import AsList

numbers = SimpleDataset(range(8))


def test_results_come_for_tickets_in_any_order():
    pool = ThreadPool(numbers, AsList(), 2)
    tickets = [pool.submit([i, i + 1], seed=0) for i in range(7)]
    pool.discard(tickets[2:4])
    assert [pool.result(tickets[i], 60) for i in (6, 0, 5)] == [[6, 7], [0, 1], [5, 6]]
    assert pool.usable
    pool.close()
    assert not pool.usable


def test_timeout_is_told_from_a_timeout_of_the_dataset():
    release = threading.Event()

    def slow(number):
        if number:
            raise TimeoutError("of the dataset")
        release.wait(60)

    pool = ThreadPool(numbers.transform(slow), AsList(), 2)
    with pytest.raises(LoaderTimeoutError, match=r"threads returned no batch within 0\.2 s"):
        pool.result(pool.submit([0], seed=0), 0.2)
    with pytest.raises(TimeoutError, match="of the dataset") as caught:
        pool.result(pool.submit([1], seed=0), 60)
    assert not isinstance(caught.value, LoaderTimeoutError)
    release.set()
    pool.close()
