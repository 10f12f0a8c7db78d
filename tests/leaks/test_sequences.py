"""Programs on sequences of varying length need no more memory as they run longer.

Arrays are counted exactly, as in `test_leaks`, after a warm-up that has seen each length. With
``--stress 100`` each program makes 10,000 steps, in which the process may not grow either.
"""

import gc

import pytest

from opforge import memory_stats

from .counting import counts, resident
from .sequences import KINDS, LENGTHS

pytestmark = pytest.mark.plugins
STEPS = 100
WARM_UP = 4 * len(LENGTHS)
#: Bytes by which the process may grow in 100 steps or more: allocators take whole pages.
GROWTH = 4 << 20


@pytest.mark.parametrize("kind", KINDS)
def test_steps_leave_nothing(kind, stress, no_collector, expect_no_blocks_left):
    step = KINDS[kind]()
    for _ in range(WARM_UP):
        step()
    gc.collect()
    before, lent, size = counts(), memory_stats()["lent_bytes"], resident()

    def steps():
        for _ in range(STEPS * stress):
            step()
        waiting = memory_stats()["live_buffers"] - before[0]
        assert waiting == 0, "arrays wait for the cycle collector"
        gc.collect()
        assert counts() == before, "arrays (number, bytes) outlive the steps"
        assert memory_stats()["lent_bytes"] == lent

    expect_no_blocks_left(steps)
    assert stress == 1 or resident() - size <= GROWTH
