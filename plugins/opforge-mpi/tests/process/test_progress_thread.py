"""Progress of sums: by a thread if they need messages, else by the program, in parallel."""

import threading
import time

import numpy as np
import pytest
from opforge_mpi import library
from opforge_mpi.collectives.all_reduce_buffers import create_all_reduce_buffers
from opforge_mpi.collectives.signature import CollectiveSignature
from opforge_mpi.collectives.world import World
from opforge_mpi.settings import Settings

from .. import stand_in

#: Time limit in seconds that no sum should reach, however busy the machine is.
_LONG = 300


@pytest.fixture(autouse=True)
def threads_for_mpi(monkeypatch):
    monkeypatch.setattr(library, "load", lambda: stand_in.MPI)


def test_a_sum_ends_without_a_call_of_the_program():
    def of_rank(comm):
        world = World(comm, Settings.read(shared_memory=False))
        signature, done = CollectiveSignature("sum"), threading.Event()
        (room,) = create_all_reduce_buffers(world, [1000], [np.dtype(np.float32)], [signature])

        def steps():
            yield from room.sum()
            done.set()

        room.own[:] = 1 + comm.rank
        world.launch(steps(), signature)
        assert done.wait(_LONG)
        total = room.total.copy()
        world.agree(CollectiveSignature("end"))
        world.close()
        return total

    for total in stand_in.run(3, of_rank):
        assert (total == 6).all()


def test_sums_in_shared_memory_do_not_wait_for_others():
    """The first rank starts with two sums, the other one only with the second."""

    def of_rank(comm):
        world = World(comm, Settings.read(shared_memory=True))
        signatures = [CollectiveSignature("first sum"), CollectiveSignature("second sum")]
        first, second = create_all_reduce_buffers(
            world, [10, 10], [np.dtype(np.float32)] * 2, signatures
        )
        ended = []

        def steps():
            yield from second.sum()
            ended.append(True)

        first.own[:], second.own[:] = 1, 2
        if comm.rank == 0:
            world.launch(first.sum(), signatures[0])
        world.launch(steps(), signatures[1])
        until = time.monotonic() + _LONG
        while not ended and time.monotonic() < until:
            world.advance()
        assert ended
        if comm.rank:
            world.launch(first.sum(), signatures[0])
        world.agree(CollectiveSignature("end"))
        return first.total[0] + second.total[0]

    assert stand_in.run(2, of_rank) == [6, 6]


class _Gate:
    """Pending object that waits until it is opened."""

    def __init__(self):
        self.opened = threading.Event()

    def test(self):
        return self.opened.is_set()

    def missing(self):
        return ()


@pytest.mark.parametrize("call", ["drain", "advance"])
def test_errors_of_the_thread_are_raised_in_the_program(call):
    def of_rank(comm):
        world = World(comm, Settings.read(shared_memory=False))
        gate, failing = _Gate(), threading.Event()

        def steps():
            yield gate
            failing.set()
            raise MemoryError("no room for a sum")

        world.launch(steps(), CollectiveSignature("sum"))
        gate.opened.set()
        assert failing.wait(_LONG)
        with pytest.raises(MemoryError, match="no room"):
            while True:  # the thread may not have reached it yet
                getattr(world, call)()
        with pytest.raises(RuntimeError, match=r"out of step .*MemoryError: no room"):
            world.drain()

    stand_in.run(2, of_rank)
