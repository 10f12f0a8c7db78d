"""Large blocks: cut from segments, merged when free, returned to the system."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge
from opforge.native import array
from opforge.native.memory.buffer import memory_stats

MIB = 1 << 20
BYTES = 3  # the type code of uint8


def block(nbytes, value=None):
    """Return an array of `nbytes` bytes, full of `value` if there is one."""
    result = array.empty((nbytes,), BYTES)
    if value is not None:
        np.asarray(result)[:] = value
    return result


def new_segments(call):
    """Return how often a call turned to the system."""
    before = memory_stats()["system_allocations"]
    call()
    return memory_stats()["system_allocations"] - before


@pytest.mark.usefixtures("no_collector")
def test_one_block_serves_several_smaller_ones():
    opforge.release_pool()
    block(64 * MIB)
    assert new_segments(lambda: [block(7 * MIB) for _ in range(9)]) == 0


@pytest.mark.usefixtures("no_collector")
def test_free_neighbors_serve_a_larger_block():
    opforge.release_pool()
    block(64 * MIB)
    several = [block(7 * MIB) for _ in range(9)]
    for order in ([0, 2, 1], [8, 7, 6], [4, 3, 5]):
        for position in order:
            several[position] = None
        assert new_segments(lambda: block(21 * MIB)) == 0


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(300 << 10, 3 * MIB), st.integers(0, 15)), min_size=1, max_size=40
    )
)
def test_blocks_do_not_overlap(steps):
    slots = {}
    for number, (nbytes, slot) in enumerate(steps):
        slots[slot] = (block(nbytes, number), nbytes, number)
        assert slots[slot][0].handle % 64 == 0
        if number % 7 == 6:
            opforge.release_pool()
    for held, nbytes, number in slots.values():
        content = np.asarray(held)
        assert content.size == nbytes
        assert (content == number).all()


@pytest.mark.usefixtures("no_collector")
def test_pages_between_used_blocks_are_returned_to_the_system():
    opforge.release_pool()
    below, middle, above = block(8 * MIB, 1), block(8 * MIB, 2), block(8 * MIB, 3)
    del middle
    assert memory_stats()["pool_bytes"] >= 8 * MIB
    assert opforge.release_pool() >= 8 * MIB
    assert memory_stats()["pool_bytes"] == 0
    middle = block(8 * MIB)
    np.asarray(middle)[:] = 4
    for held, value in ((below, 1), (middle, 4), (above, 3)):
        assert (np.asarray(held) == value).all()


@pytest.mark.usefixtures("no_collector")
def test_idle_memory_is_returned_before_more_is_allocated():
    opforge.release_pool()
    kept = block(MIB)
    block(200 * MIB)
    before = memory_stats()["pool_bytes"]
    assert before >= 200 * MIB
    larger = block(300 * MIB)
    assert memory_stats()["pool_bytes"] <= before - 200 * MIB
    assert larger.size + kept.size == 301 * MIB


@pytest.mark.usefixtures("no_collector")
def test_untouched_memory_does_not_count_as_kept():
    opforge.release_pool()
    held = block(MIB)
    assert memory_stats()["pool_bytes"] == 0
    assert held.size == MIB


def test_kept_memory_is_limited():
    program = """
import numpy as np, opforge
from opforge.native import array
held = []
for i in range(20):
    held.append(array.empty((3 << 20,), 3))
    np.asarray(held[-1])[:] = i
del held[::2]
assert opforge.memory_stats()["pool_bytes"] <= 8 << 20
assert all((np.asarray(x) == 2 * i + 1).all() for i, x in enumerate(held))
"""
    subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "OPFORGE_POOL_LIMIT_MB": "8"},
        check=True,
    )
