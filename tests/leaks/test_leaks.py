"""No call leaves anything behind: no array, no Python object, no memory of the process.

Each kind of call (`kinds.KINDS`) runs 1,000 times after a warm-up, with the cycle collector off.
Arrays are counted exactly before and after, and the collector must find nothing. Python's blocks
are counted after it ran, since it empties the interpreter's free lists; a leak of one block in
every 10 calls is detected. In 1,000 rounds of all kinds, memory allocated by the C library grows by
at most 64 KiB, so no kind leaks 70 bytes per call, and the process by 1 MiB. ``--stress N`` makes N
times as many calls; with 100 each kind is called 100,000 times.
"""

import gc
import weakref

import pytest

from opforge import autograd, memory_stats, nd

from .counting import HAS_MALLINFO, counts, given_by_malloc, resident
from .kinds import FORWARD, KINDS, X, forward_and_back, in_turn

CALLS = 1000
ROUNDS = 1000
WARM_UP = 60
#: Additional bytes of the C library, whose count includes its threads' caches.
HANDED_OUT = 1 << 16
#: Bytes by which the process may grow, since allocators take pages at any time.
GROWTH = 1 << 20


@pytest.fixture
def no_collector(no_collector):
    """Free objects by reference counts only; start without garbage."""
    gc.collect()


def expect_no_arrays_left(call, count):
    """Run calls; fail if they leave arrays or garbage."""
    before = counts()
    for _ in range(count):
        call()
    waiting = memory_stats()["live_buffers"] - before[0]
    assert waiting == 0, "arrays wait for the cycle collector"
    assert gc.collect() == 0, "objects wait for the cycle collector"
    assert counts() == before, "arrays (number, bytes) outlive the calls"


@pytest.mark.parametrize("kind", KINDS)
def test_calls_leave_nothing(kind, stress, no_collector, expect_no_blocks_left):
    call = KINDS[kind]
    for _ in range(WARM_UP):
        call()
    expect_no_blocks_left(lambda: expect_no_arrays_left(call, CALLS * stress))


@pytest.mark.skipif(not HAS_MALLINFO, reason="asks glibc 2.33 or later")
def test_the_process_does_not_grow(stress, no_collector):
    for _ in range(WARM_UP):
        in_turn()
    handed_out, before = given_by_malloc(), resident()
    for _ in range(ROUNDS * stress):
        in_turn()
    assert given_by_malloc() - handed_out <= HANDED_OUT
    assert resident() - before <= GROWTH


@pytest.mark.parametrize("kind", FORWARD)
def test_graphs_are_freed_without_the_collector(kind, no_collector):
    before = memory_stats()["live_buffers"]
    with autograd.record():
        result = FORWARD[kind]()
        result = (result * result).sum()
    assert memory_stats()["live_buffers"] > before
    watched = weakref.ref(result)
    del result
    assert watched() is None
    assert memory_stats()["live_buffers"] == before
    forward_and_back(FORWARD[kind])()
    assert memory_stats()["live_buffers"] == before


def test_a_long_graph_is_freed_at_once(no_collector):
    before = memory_stats()["live_buffers"]
    with autograd.record():
        result = X
        for _ in range(20_000):
            result = result + 1
    assert memory_stats()["live_buffers"] >= before + 1
    del result
    assert memory_stats()["live_buffers"] == before


def test_a_graph_that_is_kept_twice_is_freed_after_the_second(no_collector):
    before = memory_stats()["live_buffers"]
    with autograd.record():
        middle = X * 2
        left, right = nd.exp(middle), nd.tanh(middle)
    left.backward(retain_graph=True)
    right.backward()
    del middle, left, right
    assert memory_stats()["live_buffers"] == before
