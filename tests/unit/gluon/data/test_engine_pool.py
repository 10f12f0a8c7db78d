import threading

import numpy as np
import pytest

from opforge import engine, nd, random
from opforge.gluon.data import ArrayDataset, DataLoader, SimpleDataset
from opforge.native.threads import engine as native_engine


def test_batches_come_in_order_and_are_loaded_on_the_engine():
    threads = set()

    def note(number):
        threads.add(threading.get_ident())
        return number

    loader = DataLoader(SimpleDataset(range(10)).transform(note), 3, prefetch=2)
    for _ in range(2):
        batches = [batch.asnumpy().tolist() for batch in loader]
        assert batches == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert threading.get_ident() not in threads


def test_the_next_batch_is_loaded_while_python_uses_one():
    loaded = [threading.Event() for _ in range(3)]

    def note(number):
        loaded[number].set()
        return number

    batches = iter(DataLoader(SimpleDataset(range(3)).transform(note), 1, prefetch=1))
    next(batches)
    assert loaded[1].wait(20)
    assert not loaded[2].is_set()
    assert len(list(batches)) == 2


def test_errors_are_raised_where_the_batch_is_used_and_nowhere_else():
    def fail(number):
        if number == 1:
            raise KeyError("sample 1")
        return number

    loader = DataLoader(SimpleDataset(range(3)).transform(fail), 1, prefetch=2)
    batches = iter(loader)
    next(batches)
    with pytest.raises(KeyError, match="sample 1"):
        next(batches)
    assert next(batches).asnumpy().tolist() == [2]
    abandoned = iter(loader)
    next(abandoned)
    del abandoned
    engine.waitall()


@pytest.mark.parametrize("workers", [1, 4])
def test_random_numbers_do_not_depend_on_the_workers(workers):
    def draw(number):
        return nd.random.uniform(shape=(2,)).asnumpy() + number

    def run():
        random.seed(3)
        loader = DataLoader(SimpleDataset(range(8)).transform(draw), 2, prefetch=4)
        return np.concatenate([batch.asnumpy() for batch in loader])

    native_engine.configure(naive=True)
    expected = run()
    native_engine.configure(workers=workers, naive=False)
    try:
        np.testing.assert_array_equal(run(), expected)
    finally:
        native_engine.configure()
    assert len(np.unique(expected)) == 16


def test_a_loader_within_a_task_does_not_wait_for_itself():
    out = []
    done = engine.Var()
    dataset = ArrayDataset([1, 2, 3])
    engine.push(lambda: out.extend(DataLoader(dataset, 1, prefetch=2)), write=[done])
    done.wait_to_read()
    assert [batch.asnumpy().tolist() for batch in out] == [[1], [2], [3]]
