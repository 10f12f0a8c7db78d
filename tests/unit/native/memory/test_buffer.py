import re
from pathlib import Path

import numpy as np
import pytest

import opforge
from opforge.native import array
from opforge.native.memory import buffer


@pytest.mark.usefixtures("no_collector")
def test_counters_follow_live_arrays():
    before = buffer.memory_stats()
    x = array.empty((256,), 0)
    during = buffer.memory_stats()
    assert during["live_bytes"] - before["live_bytes"] == 1024
    assert during["live_buffers"] - before["live_buffers"] == 1
    del x
    assert buffer.memory_stats()["live_bytes"] == before["live_bytes"]


def test_freed_memory_is_reused_without_the_system():
    array.empty((12345,), 0)
    before = buffer.memory_stats()
    for _ in range(10):
        array.empty((12345,), 0)
    after = buffer.memory_stats()
    assert after["system_allocations"] == before["system_allocations"]
    assert after["pool_hits"] - before["pool_hits"] == 10


@pytest.mark.parametrize("size", [1, 15, 16, 17, 63, 64, 65, 1000, 4097, 1 << 20])
def test_blocks_are_aligned_and_large_enough(size):
    x = array.empty((size,), 3)
    assert x.handle % 64 == 0 or size < 64 or x.handle % 16 == 0
    view = np.asarray(x)
    view[:] = 7
    assert view.sum() == 7 * size


def test_release_pool_returns_all_memory():
    array.empty((1 << 16,), 0)
    assert buffer.memory_stats()["pool_bytes"] > 0
    assert opforge.release_pool() > 0
    assert opforge.memory_stats()["pool_bytes"] == 0


@pytest.mark.parametrize("shape", [(1 << 46,), (1 << 40, 1 << 40), (1 << 62, 4)])
def test_absurd_sizes_raise_memory_error(shape):
    with pytest.raises(MemoryError):
        array.empty(shape, 1)


@pytest.mark.usefixtures("no_collector")
def test_views_keep_the_buffer_alive():
    x = array.zeros((4, 4), 0)
    live = buffer.memory_stats()["live_buffers"]
    row = x._view(4, (4,))
    del x
    assert buffer.memory_stats()["live_buffers"] == live
    assert row.asnumpy().tolist() == [0.0] * 4


@pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="Linux with huge pages"
)
def test_large_blocks_request_huge_pages():
    x = array.empty((64 << 20,), 3)
    middle = x.handle + (32 << 20)
    flags = {}
    for line in Path("/proc/self/smaps").read_text().splitlines():
        bounds = re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line)
        if bounds:
            low, high = (int(v, 16) for v in bounds.groups())
        elif line.startswith("VmFlags:") and low <= middle < high:
            flags = line.split()
    assert "hg" in flags
