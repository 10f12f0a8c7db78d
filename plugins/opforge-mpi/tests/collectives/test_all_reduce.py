"""Sums by messages: number of rounds, reproducibility, and how ranks wait for them."""

from types import SimpleNamespace

import numpy as np
import pytest
from opforge_mpi import library
from opforge_mpi.collectives import all_reduce
from opforge_mpi.collectives.signature import CollectiveSignature
from opforge_mpi.collectives.world import World
from opforge_mpi.settings import Settings
from opforge_mpi.transport import steps as steps_module
from opforge_mpi.transport.steps import Collective

from .. import stand_in


@pytest.fixture(autouse=True)
def threads_for_mpi(monkeypatch):
    monkeypatch.setattr(library, "load", lambda: stand_in.MPI)


def sums(count, length, in_place):
    """Return the results of each rank, and the number of message rounds."""

    def of_rank(comm):
        world = World(comm, Settings.read(shared_memory=False))
        addend = np.random.default_rng(comm.rank).standard_normal(length).astype(np.float32)
        total = addend if in_place else np.empty_like(addend)
        rounds = []

        def steps():
            for waited in all_reduce.all_reduce(world.comm, addend, total):
                rounds.append(waited)
                yield waited

        world.run(steps(), CollectiveSignature("sum"))
        return total, len(rounds)

    return stand_in.run(count, of_rank)


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_both_algorithms_are_bitwise_equal(monkeypatch, count, in_place):
    quick = sums(count, 1001, in_place)
    monkeypatch.setattr(all_reduce, "_SMALL_BYTES", 0)
    in_parts = sums(count, 1001, in_place)
    assert [rounds for _, rounds in quick] == [1] * count
    assert [rounds for _, rounds in in_parts] == [2] * count
    for total, _ in [*quick, *in_parts]:
        assert np.array_equal(total, quick[0][0])


class _Late:
    """Pending object that is complete after a given number of polls."""

    def __init__(self, looks):
        self._looks = looks

    def test(self):
        self._looks -= 1
        return self._looks < 0

    def missing(self):
        return ()


def test_each_step_spins_before_it_sleeps(monkeypatch):
    """Spinning is limited per step: a sum of many rounds must not sleep before each of them."""
    now, naps = [0.0], []

    def yielded():
        now[0] += steps_module._SPIN / 10

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=naps.append)
    monkeypatch.setattr(steps_module, "time", clock)
    monkeypatch.setattr(steps_module, "os", SimpleNamespace(sched_yield=yielded))

    def steps(count, looks):
        for _ in range(count):
            yield _Late(looks)

    Collective(steps(100, 5)).finish(60, RuntimeError)
    assert not naps
    Collective(steps(1, 50)).finish(60, RuntimeError)
    assert naps
