"""Ranks on two machines: same results as on one machine, and an end if the network is lost."""

import os
import subprocess
import sys

_TRAINS = """
import hashlib

mx.random.seed(3)
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(300, activation="relu", in_units=40), gluon.nn.Dense(5))
net.initialize()
net.hybridize()
data = np.random.default_rng(mpi.rank()).standard_normal((5, 16, 40), np.float32)
trainer = mpi.DistributedTrainer(net.collect_params(), "adam", {"learning_rate": 0.01})
for batch in data:
    with autograd.record():
        loss = (net(nd.array(batch)) ** 2).mean()
    loss.backward()
    trainer.step(1)
bits = b"".join(p.data().asnumpy().tobytes() for p in net.collect_params().values())
hosts = mpi.allgather_object(__import__("socket").gethostname())
say(hash=hashlib.blake2b(bits).hexdigest(), hosts=hosts, local=mpi.local_rank())
"""


def test_four_ranks_of_two_machines_have_the_bits_of_four_on_one(ranks, machines):
    here = ranks(4, _TRAINS, OPFORGE_MPI_BUCKET_MB="0.01").said
    there = ranks(4, _TRAINS, on=machines, OPFORGE_MPI_BUCKET_MB="0.01").said
    assert there[0]["hosts"] == ["machine1", "machine1", "machine2", "machine2"]
    assert [said["local"] for said in there] == [0, 1, 0, 1]
    assert len({said["hash"] for said in here + there}) == 1


_CABLE = """
import dataclasses, os, subprocess
import opforge_mpi as mpi
from opforge import nd
from opforge_mpi.collectives import session

os.write(1, f"process {os.getpid()}\\n".encode())  # at once: print() may write words apart
mpi.allreduce(nd.ones(1))  # the start, which takes longer on a busy machine
session._world.settings = dataclasses.replace(session._world.settings, timeout=5)
for step in range(1000):
    if step == 3 and mpi.rank() == 1:
        subprocess.run(["ip", "link", "set", "cable", "down"], check=True)
    mpi.allreduce(nd.ones(100_000))
"""


def test_ranks_end_and_name_the_missing_ones_if_the_network_is_lost(
    mpiexec, machines, wait_for_exit
):
    """mpiexec itself waits for output that the other machine no longer sends."""
    start = machines.launcher(mpiexec, 2)
    environment = {**os.environ, **machines.environment}
    command = [*start, "-n", "2", sys.executable, "-c", _CABLE]
    job = subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert job.stdout is not None and job.stderr is not None
        ranks = [int(job.stdout.readline().split()[1]) for _ in range(2)]
        assert any("for rank 1 (machine2): it hangs, is lost, or" in line for line in job.stderr)
        for process in ranks:
            wait_for_exit(process)
    finally:
        job.kill()
        job.communicate()


_KILLED = """
import signal

for step in range(1000):
    if step == 3 and mpi.rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    mpi.allreduce(nd.ones(100_000))
"""


def test_a_rank_killed_on_the_other_machine_ends_all(ranks, machines):
    run = ranks(2, _KILLED, status=None, on=machines, OPFORGE_MPI_TIMEOUT="20")
    assert run.status != 0
    assert "machine2" in run.printed, run.printed
