"""Random number streams, one for each thread and task, reproducible from the seed."""

import threading

import pytest

from opforge import autograd, nd
from opforge.native.calls import random
from opforge.native.threads import random_streams


def _in_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_seed_starts_the_stream_of_its_thread():
    random_streams.seed(3)
    first = random_streams.get_state()
    random_streams.seed(3)
    assert random_streams.get_state() == first
    assert random.get_state is random_streams.get_state


def test_threads_derive_streams_from_the_main_seed_in_order():
    random_streams.seed(3)
    states = [_in_thread(random_streams.get_state) for _ in range(3)]
    assert len({key for key, _, _ in states}) == 3
    random_streams.seed(3)
    assert [_in_thread(random_streams.get_state) for _ in range(3)] == states


def test_seed_in_a_thread_does_not_affect_others():
    random_streams.seed(3)
    before = random_streams.get_state()
    _in_thread(lambda: random_streams.seed(4))
    assert random_streams.get_state() == before


@pytest.fixture
def process():
    yield random_streams.set_process
    random_streams.set_process(0)


def test_distributed_processes_draw_different_numbers_only_in_training_mode(process):
    def drawn(number, training):
        process(number)
        random_streams.seed(3)
        with autograd.train_mode() if training else autograd.predict_mode():
            return tuple(nd.random.uniform(shape=40).asnumpy().tolist())

    alone = drawn(0, training=False)
    assert {drawn(number, training=False) for number in (0, 1, 2)} == {alone}
    assert drawn(0, training=True) == alone
    assert len({drawn(number, training=True) for number in (0, 1, 2, 2**40)}) == 4
    assert drawn(2, training=True) == drawn(2, training=True)


def test_position_does_not_depend_on_the_process(process):
    process(3)
    state = random_streams.get_process_state()
    with autograd.train_mode():
        first = nd.random.normal(shape=9).asnumpy().tolist()
        random_streams.set_process_state(state)
        assert nd.random.normal(shape=9).asnumpy().tolist() == first
        random_streams.set_process_state(state)
        process(1)
        assert nd.random.normal(shape=9).asnumpy().tolist() != first
