import os
import subprocess
import sys

import pytest

import opforge as mx
from opforge import memory_stats, nd
from opforge.base.errors import ShapeError
from opforge.native.graph.arena import Arena
from opforge.native.graph.program import Program

F32 = 0


def program(nbytes=256, offset=0, count=4):
    """A program without steps whose only slot lies in a region."""
    return Program([], [None], [(0, offset, (count,), F32)], nbytes)


def test_programs_that_do_not_overlap_share_a_region():
    arena, first, second = Arena(mx.cpu()), program(), program()
    first.enter(arena)
    first.get(0)[:] = nd.arange(4)
    first.leave()
    second.enter(arena)
    assert second.get(0).asnumpy().tolist() == [0, 1, 2, 3]
    second.leave()
    assert arena.idle_bytes == 256


def test_overlapping_programs_use_separate_regions():
    arena, first, second = Arena(mx.cpu()), program(), program()
    for one in (first, second):
        one.enter(arena)
        assert one.is_inside
    first.get(0)[:] = 1
    second.get(0)[:] = 2
    assert first.get(0).asnumpy().tolist() == [1] * 4
    first.leave()
    assert not first.is_inside
    second.leave()
    assert arena.idle_bytes == 512


def test_reentry_finds_the_same_arrays():
    arena, one = Arena(mx.cpu()), program()
    one.enter(arena)
    array = one.get(0)
    one.leave()
    one.enter(arena)
    assert one.get(0) is array


@pytest.mark.usefixtures("no_collector")
def test_region_that_is_too_small_is_replaced():
    arena, small, large = Arena(mx.cpu()), program(256), program(1000)
    before = memory_stats()["live_bytes"]
    for one in (small, large, small, large):
        one.enter(arena)
        one.leave()
        assert one.get(0).shape == (4,)
    assert arena.idle_bytes == 1024
    assert memory_stats()["live_bytes"] == before + 1024


def test_referenced_arrays_outlive_the_region():
    arena, small, large = Arena(mx.cpu()), program(256), program(1000)
    small.enter(arena)
    kept = small.get(0)
    kept[:] = 7
    small.leave()
    large.enter(arena)
    large.get(0)[:] = 3
    assert kept.asnumpy().tolist() == [7] * 4
    assert small.get(0) is None


def test_deleted_programs_release_their_region():
    arena, one = Arena(mx.cpu()), program()
    one.enter(arena)
    del one
    assert arena.idle_bytes == 256


@pytest.mark.usefixtures("no_collector")
def test_memory_beyond_the_limit_is_returned_to_the_pool():
    arena, one = Arena(mx.cpu(), 100), program()
    before = memory_stats()["live_bytes"]
    for _ in range(2):
        one.enter(arena)
        one.get(0)[:] = 1
        one.leave()
        assert arena.idle_bytes == 0
        assert memory_stats()["live_bytes"] == before


def test_smallest_region_that_is_large_enough_is_taken():
    arena = Arena(mx.cpu())
    several = [program(size) for size in (256, 4096, 1024)]
    for one in several:
        one.enter(arena)
    for one in several:
        one.leave()
    middle = program(900)
    middle.enter(arena)
    assert arena.idle_bytes == 256 + 4096


@pytest.mark.usefixtures("no_collector")
def test_memory_is_freed_with_the_arena():
    before = memory_stats()["live_bytes"]
    arena, one = Arena(mx.cpu()), program()
    one.enter(arena)
    one.leave()
    del arena, one
    assert memory_stats()["live_bytes"] == before


def test_views_of_one_region_share_its_memory():
    arena = Arena(mx.cpu())
    one = Program([], [None, None], [(0, 64, (2, 3), F32), (1, 72, (4,), F32)], 256)
    one.enter(arena)
    one.get(0)[:] = nd.arange(6).reshape((2, 3))
    assert one.get(1).asnumpy().tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("offset", "shape"), [(-8, (1,)), (4, (1,)), (64, (1,)), (0, (17,)), (40, (7,))]
)
def test_slots_outside_of_a_region_are_rejected(offset, shape):
    one = Program([], [None], [(0, offset, shape, F32)], 64)
    arena = Arena(mx.cpu())
    with pytest.raises(ShapeError, match="does not fit an arena of 64"):
        one.enter(arena)
    assert not one.is_inside
    assert arena.idle_bytes == 64


def test_programs_without_intermediate_results_use_no_memory():
    arena, one = Arena(mx.cpu()), Program([], [])
    one.enter(arena)
    assert one.is_inside
    one.leave()
    assert arena.idle_bytes == 0


#: Its executor is in a cycle that is found when the names of modules are cleared already.
ENDS_LATE = """
import opforge as mx

def kept_by_opforge(): ...

x = mx.sym.exp(mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=8))
executor = mx.sym.FullyConnected(x, num_hidden=8).simple_bind(mx.cpu(), x=(8, 8))
executor.forward(is_train=True)
mx.nd.kept = kept_by_opforge
"""


def test_memory_released_at_interpreter_exit_gives_no_warning():
    done = subprocess.run(
        [sys.executable, "-c", ENDS_LATE],
        env={**os.environ, "OPFORGE_GRAPH_LIMIT_MB": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
