import gc
import multiprocessing
import os
import random
import threading

import numpy as np
import pytest

from opforge import nd
from opforge.gluon.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    SequentialSampler,
    SimpleDataset,
    batchify,
)

HERE = {"num_workers": 0}
PROCESSES = {"num_workers": 2}
THREADS = {"num_workers": 2, "thread_pool": True}
EVERYWHERE = pytest.mark.parametrize("how", [HERE, PROCESSES, THREADS], ids=str)


class Ramp(Dataset):
    """Images of constant color with the color as label, and several ways to fail."""

    def __init__(self, size, at=(), act=None):
        self.size, self.at, self.act = size, at, act

    def __len__(self):
        return self.size

    def __getitem__(self, idx):
        if idx in self.at:
            self.act()
        return nd.ones((8, 8)) * idx, np.int32(idx)


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    gc.collect()
    assert multiprocessing.active_children() == []


def labels_of(loader):
    return [label.asnumpy().tolist() for _, label in loader]


@EVERYWHERE
def test_batches_come_in_order_on_every_iteration(how):
    loader = DataLoader(Ramp(10), 4, **how)
    for _ in range(2):
        assert labels_of(loader) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    data, label = next(iter(loader))
    assert isinstance(data, nd.NDArray)
    assert (data.shape, data.dtype, label.dtype) == ((4, 8, 8), np.float32, np.int32)
    assert data.asnumpy()[:, 3, 3].tolist() == [0, 1, 2, 3]
    assert len(loader) == 3


@EVERYWHERE
def test_last_batch_and_samplers(how):
    ten = Ramp(10)
    assert labels_of(DataLoader(ten, 4, last_batch="discard", **how)) == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
    ]
    backwards = DataLoader(ten, 5, sampler=range(9, -1, -1), **how)
    assert labels_of(backwards) == [[9, 8, 7, 6, 5], [4, 3, 2, 1, 0]]
    batches = BatchSampler(SequentialSampler(3), 2)
    assert labels_of(DataLoader(ten, batch_sampler=batches, **how)) == [[0, 1], [2]]
    rolling = DataLoader(ten, 4, last_batch="rollover", **how)
    assert [len(labels_of(rolling)), labels_of(rolling)[0]] == [2, [8, 9, 0, 1]]


@EVERYWHERE
def test_shuffle_is_repeated_by_numpys_seed(how):
    loader = DataLoader(Ramp(50), 50, shuffle=True, **how)
    np.random.seed(3)
    first = labels_of(loader)[0]
    np.random.seed(3)
    assert labels_of(loader)[0] == first != sorted(first)
    assert sorted(first) == list(range(50))


@EVERYWHERE
def test_batchify_fn(how):
    words = SimpleDataset(["a", "b", "c"])
    assert list(DataLoader(words, 2, batchify_fn=batchify.AsList(), **how)) == [["a", "b"], ["c"]]


@EVERYWHERE
def test_an_exception_of_the_dataset_is_raised_here_as_itself(how):
    def fail():
        raise KeyError("no such image")

    batches = iter(DataLoader(Ramp(8, at=(5,), act=fail), 2, **how))
    assert [next(batches)[1].asnumpy().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(KeyError, match="no such image") as caught:
        next(batches)
    if how is PROCESSES:
        assert "in fail" in str(caught.value.__cause__)
        assert next(batches)[1].asnumpy().tolist() == [6, 7]


def test_a_batch_that_cannot_be_pickled_is_an_error():
    loader = DataLoader(Ramp(2), 2, batchify_fn=lambda samples: threading.Lock(), **PROCESSES)
    with pytest.raises(TypeError, match="pickle"):
        list(loader)


def test_workers_after_arrays_were_used_in_the_parent():
    a = nd.ones((512, 512))
    assert nd.dot(a, a).asnumpy()[0, 0] == 512
    dataset = Ramp(6).transform_first(lambda image: nd.dot(image, image) + a[:8, :8])
    batches = list(DataLoader(dataset, 3, **PROCESSES))
    assert batches[1][0].asnumpy()[2, 0, 0] == 5 * 5 * 8 + 1
    assert nd.dot(a, a).asnumpy()[0, 0] == 512


def test_abandoned_and_simultaneous_iterations():
    loader = DataLoader(Ramp(40), 4, **PROCESSES)
    for _ in range(3):
        abandoned = iter(loader)
        next(abandoned)
    del abandoned
    both = [(a[1].asnumpy()[0], b[1].asnumpy()[0]) for a, b in zip(loader, loader, strict=True)]
    assert both == [(i, i) for i in range(0, 40, 4)]


def test_workers_stay_between_iterations_and_end_with_close():
    loader = DataLoader(SimpleDataset(range(4)).transform(lambda i: os.getpid()), 1, **PROCESSES)
    first, second = ({int(pid.asnumpy()[0]) for pid in loader} for _ in range(2))
    assert first | second == {child.pid for child in multiprocessing.active_children()}
    assert os.getpid() not in first
    loader.close()
    assert multiprocessing.active_children() == []
    assert len(list(loader)) == 4


def test_random_numbers_in_workers_differ_and_repeat_whatever_their_number():
    def draw(_):
        return np.random.random(), random.random(), nd.random.uniform(shape=(1,)).asscalar()

    dataset = SimpleDataset(range(8)).transform(draw)

    def drawn(num_workers):
        np.random.seed(0)
        loader = DataLoader(dataset, 1, num_workers=num_workers)
        return [[float(part.asnumpy()[0]) for part in batch] for batch in loader]

    once = drawn(1)
    assert drawn(3) == once
    for column in zip(*once, strict=True):
        assert len(set(column)) == 8


def test_the_order_is_the_same_with_workers_and_without():
    orders = []
    for num_workers in (0, 2):
        np.random.seed(0)
        loader = DataLoader(SimpleDataset(range(99)), 9, shuffle=True, num_workers=num_workers)
        orders.append([batch.asnumpy().tolist() for _ in range(2) for batch in loader])
        orders[-1].append(np.random.random())
    assert orders[0] == orders[1]


def test_iterations_without_a_draw_between_have_other_random_numbers():
    dataset = SimpleDataset(range(4)).transform(lambda _: np.random.random())
    loader = DataLoader(dataset, 1, num_workers=1)
    first, second = ([float(x.asnumpy()[0]) for x in loader] for _ in range(2))
    loader.close()
    assert len({*first, *second}) == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "batch_size must be specified"),
        ({"batch_size": 1, "shuffle": True, "sampler": range(2)}, "shuffle must not"),
        ({"batch_size": 1, "batch_sampler": [[0]]}, "batch_sampler is specified"),
        ({"batch_size": 1, "last_batch": "all"}, "last_batch must be one of"),
        ({"batch_size": 1, "num_workers": -1}, "must not be negative"),
        ({"batch_size": 1, "timeout": 0}, "timeout must be positive"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        DataLoader(SimpleDataset([1, 2]), **arguments)


def test_zero_prefetch_and_pin_memory_are_accepted():
    loader = DataLoader(Ramp(4), 2, prefetch=0, pin_memory=True, **PROCESSES)
    assert labels_of(loader) == [[0, 1], [2, 3]]


def test_an_abandoned_iteration_gives_its_batches_back():
    loader = DataLoader(
        SimpleDataset(list(range(64))), batch_size=1, num_workers=2, thread_pool=True
    )
    batches = iter(loader)
    next(batches)
    tickets, pool = batches._tickets, batches._pool
    assert tickets
    waiting = list(tickets)
    discarded = []
    pool.discard, original = lambda given: discarded.extend(given), pool.discard
    try:
        del batches
        gc.collect()
    finally:
        pool.discard = original
    original(waiting)
    assert discarded == waiting
