import gc
import subprocess
import sys
import threading

import numpy as np
import pytest

from opforge import io, nd


@pytest.fixture
def prefetching():
    """Make an iterator that is closed after the test, so that no thread holds its arrays."""
    made = []

    def make(*args, **kwargs):
        made.append(io.PrefetchingIter(*args, **kwargs))
        return made[-1]

    yield make
    while made:
        made.pop().close()


def inner(count=5, name="data"):
    return io.NDArrayIter({name: np.arange(float(count))}, np.arange(float(count)), 2)


def test_batches_of_several_are_joined(prefetching):
    batches = prefetching([inner(), inner(name="more")])
    assert [d.name for d in batches.provide_data] == ["data", "more"]
    assert batches.batch_size == 2
    for _ in range(2):
        found = list(batches)
        assert [b.pad for b in found] == [0, 0, 1]
        assert [a.asnumpy().tolist() for a in found[1].data + found[1].label] == [[2, 3]] * 4
        assert found[1].provide_data == batches.provide_data
        batches.reset()


def test_reset_in_the_middle(prefetching):
    batches = prefetching(inner())
    batches.next()
    batches.reset()
    assert len(list(batches)) == 3
    assert not batches.iter_next()


def test_renaming(prefetching):
    batches = prefetching(
        [inner(), inner()],
        rename_data=[{"data": "left"}, {"data": "right"}],
        rename_label=[{"softmax_label": "a"}, {"softmax_label": "b"}],
    )
    assert batches.provide_data == [("left", (2,)), ("right", (2,))]
    assert [d.name for d in batches.provide_label] == ["a", "b"]
    assert batches.provide_data[0].dtype is np.float32


def test_a_batch_is_read_while_the_last_is_used(prefetching):
    asked, release = threading.Semaphore(0), threading.Semaphore(0)

    class Slow(io.NDArrayIter):
        def next(self):
            asked.release()
            assert release.acquire(timeout=30)
            return super().next()

    batches = prefetching(Slow(np.arange(4.0), batch_size=2))
    release.release()
    batches.next()
    # The second batch is asked for though nobody called next().
    assert asked.acquire(timeout=30) and asked.acquire(timeout=30)
    release.release(2)
    assert len(list(batches)) == 1


class Failing(io.NDArrayIter):
    def next(self):
        batch = super().next()
        if batch.data[0].asnumpy()[0] == 2:
            raise KeyError("unreadable")
        return batch


def test_errors_reach_the_caller_and_the_next_batch_comes(prefetching):
    batches = prefetching([inner(), Failing(np.arange(5.0), batch_size=2)])
    batches.next()
    with pytest.raises(KeyError, match="unreadable"):
        batches.next()
    assert [a.asnumpy().tolist() for a in batches.next().data] == [[4, 0]] * 2
    with pytest.raises(StopIteration):
        batches.next()


def test_different_lengths_are_an_error(prefetching):
    batches = prefetching([inner(4), inner(2)])
    batches.next()
    with pytest.raises(AssertionError, match="the same number of batches"):
        batches.next()
    with pytest.raises(AssertionError, match="at least one iterator"):
        io.PrefetchingIter([])


def test_threads_end_with_the_object():
    before = set(threading.enumerate())
    batches = io.PrefetchingIter(inner())
    (thread,) = set(threading.enumerate()) - before
    del batches
    gc.collect()
    thread.join(timeout=30)
    assert not thread.is_alive()


def test_the_program_ends_in_the_middle_of_an_epoch():
    program = (
        "import numpy as np, opforge as mx\n"
        "it = mx.io.PrefetchingIter(mx.io.NDArrayIter(np.ones((100, 3)), batch_size=2))\n"
        "print(it.next().data[0].shape)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("(2, 3)\n", "")


def test_an_iterator_of_pairs(prefetching):
    class Pairs(io.DataIter):
        provide_data = [("x", (2,))]
        provide_label = []
        left = 1

        def next(self):
            if not self.left:
                raise StopIteration
            self.left = 0
            return io.DataBatch([nd.ones((2,))])

    batches = prefetching(Pairs(), rename_data=[{"x": "y"}])
    assert batches.provide_data == [("y", (2,))]
    assert batches.next().label == []
