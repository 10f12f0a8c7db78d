"""Ranks that differ, end early or fail: all raise an error with the reason, and none hangs."""

import importlib
import sys
from types import ModuleType

import pytest
from opforge_mpi import library

from opforge.plugin_api import OpforgeError

_DIFFERENT_SHAPES = """
net = gluon.nn.Dense(3, in_units=4 + mpi.rank())
net.initialize()
try:
    trainer = mpi.DistributedTrainer(net.collect_params(), "sgd")
except mpi.DistributedError as error:
    say(error=str(error), ranks=error.ranks)
try:
    mpi.barrier()
except mpi.DistributedError as error:
    say(then=str(error))
"""


def test_shapes_that_differ_are_named_on_all_ranks(ranks):
    for said in ranks(2, _DIFFERENT_SHAPES).said:
        assert (
            "rank 0 (" in said["error"] and "of 1 ('dense0_weight') (3, 4) float32" in said["error"]
        )
        assert (
            "rank 1 (" in said["error"] and "of 1 ('dense0_weight') (3, 5) float32" in said["error"]
        )
        assert said["ranks"] == [1]
        assert "out of step after an earlier failure" in said["then"]


_SETTINGS = """
from mpi4py import MPI

try:
    mpi.init(shared_memory=MPI.COMM_WORLD.rank == 0)
except mpi.DistributedError as error:
    print(error)
"""


def test_settings_that_differ_are_rejected_on_all_ranks(ranks):
    printed = ranks(2, _SETTINGS).printed
    assert printed.count("opforge-mpi: rank 0 (") == 2
    assert "shared_memory=True" in printed and "shared_memory=False" in printed


_FEWER_BATCHES = """
for _ in range(3 - mpi.rank()):
    mpi.allreduce(nd.ones((2, 2)), name="grad")
say(ended=True)
"""


def test_a_rank_with_fewer_batches_is_named(ranks):
    run = ranks(2, _FEWER_BATCHES, status=None)
    assert run.status != 0
    assert run.said == [{}, {"ended": True}]
    assert run.printed.count("reached different points") == 1
    assert "rank 1 (" in run.printed and "): the end of its program\n" in run.printed
    assert "): sum of grad (2, 2) float32\n" in run.printed


_RAISES = """
for step in range(3):
    if mpi.rank() == 1 and step == 2:
        raise ValueError("bad batch")
    try:
        mpi.allreduce(nd.ones(1))
    except mpi.DistributedError as error:
        say(error=str(error), ranks=error.ranks)
        raise
"""


def test_a_rank_that_raises_ends_all_with_its_own_traceback(ranks):
    run = ranks(2, _RAISES, status=None)
    assert run.status != 0
    assert "the end of its program after ValueError: bad batch" in run.said[0]["error"]
    assert run.said[0]["ranks"] == [1]
    assert run.printed.count("Traceback") == 1
    assert "opforge-mpi: rank 1 (" in run.printed and "ValueError: bad batch" in run.printed


_STOPPED = """
import dataclasses, signal
from opforge_mpi.collectives.session import world
world().settings = dataclasses.replace(world().settings, timeout=1)  # now that all have joined
if mpi.rank() == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
try:
    mpi.barrier()
except mpi.DistributedError as error:
    say(error=str(error), ranks=error.ranks)
    raise
"""


def test_a_rank_that_stops_answering_is_named_and_ended(ranks):
    run = ranks(2, _STOPPED, status=None)
    assert run.status != 0
    assert "has waited 1 s at the barrier for rank 1 (" in run.said[0]["error"]
    assert run.said[0]["ranks"] == [1]
    assert run.printed.count("has waited 1 s at the barrier") == 1


_KILLED = """
import signal
say(process=os.getpid())
mpi.barrier()
if mpi.rank() == 1:
    os.kill(os.getpid(), signal.SIGKILL)
mpi.barrier()
"""


def test_a_rank_that_is_killed_ends_all(ranks):
    """The signal ends the others before they can print: a shell reports which process it was."""
    run = ranks(2, _KILLED, status=None)
    assert run.status != 0
    assert run.printed.count("opforge-mpi: a rank has ended without a message: killed") == 1
    for rank, said in enumerate(run.said):
        assert f"rank {rank} was process {said['process']}" in run.printed


_LEAVES = """
for step in range(5):
    mpi.allreduce(nd.ones(1), name="loss")
    if mpi.rank() == 1 and step == 3:
        os._exit(0)
"""


def test_a_rank_that_calls_os_exit_is_a_failure(ranks):
    for _ in range(4):  # in half of the runs the launcher reads the status 0 first
        run = ranks(2, _LEAVES, status=None)
        assert run.status != 0
        assert run.printed.count("opforge-mpi: rank 1 calls os._exit(0)") == 1


_LEAVES_LATER = """
if os.fork() == 0:
    os._exit(0)
os.wait()
mpi.shutdown()
from mpi4py import MPI
MPI.Finalize()
os._exit(0)
"""


def test_workers_and_ranks_after_shutdown_may_call_os_exit(ranks):
    run = ranks(2, _LEAVES_LATER)
    assert "os._exit" not in run.printed


_NO_MEMORY = """
import resource
weight = gluon.Parameter("weight", shape=(100,))
weight.initialize()
trainer = mpi.DistributedTrainer([weight], "sgd")
kept = []
while True:
    if mpi.rank() == 1:
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**24, used + 2**24))
        kept.append(nd.ones((2**24,)))
    with autograd.record():
        loss = weight.data().sum()
    loss.backward()
    trainer.step(1)
"""


def test_a_rank_without_memory_is_named_and_ends_all(ranks):
    run = ranks(2, _NO_MEMORY, status=None)
    assert run.status != 0
    assert run.printed.count("Traceback") == 1
    assert "opforge-mpi: rank 1 (" in run.printed and "MemoryError" in run.printed


_INTERRUPTED = """
import signal
mpi.barrier()
if mpi.rank() in {who}:
    os.kill(os.getpid(), signal.SIGINT)
while True:
    mpi.allreduce(nd.ones(1))
"""


@pytest.mark.parametrize("who", [(0, 1, 2), (2,)])
def test_an_interrupt_ends_all(ranks, who):
    run = ranks(3, _INTERRUPTED.format(who=who), status=None)
    assert run.status != 0
    if who == (2,):
        assert "opforge-mpi: rank 2 (" in run.printed and "was interrupted: it ends" in run.printed
    else:  # reported by the first rank, unless the others' grace period ends before
        assert "KeyboardInterrupt" in run.printed or "was interrupted: it ends" in run.printed


_NEVER_JOINS = """
import time
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 1:
    time.sleep(1000)
mpi.init(timeout=1)
"""


def test_a_rank_that_never_joins_is_named_and_ended(ranks):
    run = ranks(2, _NEVER_JOINS, status=None)
    assert run.status != 0
    assert "has waited 1 s for rank 1 to join" in run.printed


_NEVER_STARTS = """
import time
if os.environ["PMI_RANK"] == "1":
    time.sleep(1000)
mpi.init(timeout=1)
"""


def test_a_rank_that_never_starts_mpi_ends_all(ranks):
    run = ranks(2, _NEVER_STARTS, status=None)
    assert run.status != 0
    assert "has waited 1 s for all ranks to start MPI" in run.printed
    assert "in load" in run.printed  # where it waited


def test_missing_mpi_names_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(OpforgeError, match=r"pip install 'opforge-mpi\[mpich\]'"):
        library.load()


@pytest.mark.parametrize("problem", [ImportError("no libmpi"), RuntimeError("cannot load MPI")])
def test_missing_mpi_is_an_import_error(monkeypatch, problem):
    class Absent(ModuleType):
        def __getattr__(self, name):
            raise problem

    monkeypatch.setitem(sys.modules, "mpi4py", Absent("mpi4py"))
    with pytest.raises(ImportError, match="opforge-mpi: MPI cannot be loaded"):
        library.load()


def test_horovod_cannot_be_imported_without_mpi4py(monkeypatch):
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "opforge_mpi.horovod", raising=False)
    with pytest.raises(ImportError, match="mpi4py is not installed"):
        importlib.import_module("opforge_mpi.horovod")
