"""Streams of random numbers: one for each thread and task, repeatable from the seed."""

import threading

from opforge.native.calls import random
from opforge.native.threads import random_streams


def _in_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_a_seed_starts_the_stream_of_its_thread():
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


def test_a_seed_in_a_thread_leaves_the_others_alone():
    random_streams.seed(3)
    before = random_streams.get_state()
    _in_thread(lambda: random_streams.seed(4))
    assert random_streams.get_state() == before
