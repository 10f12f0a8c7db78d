"""The profiler shows the work for other ranks, and the time spent waiting for them."""

_PROGRAM = """
from opforge import profiler

net = gluon.nn.Dense(4, in_units=4)
net.initialize()
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd")
def step():
    with autograd.record():
        loss = net(nd.ones((2, 4)))
    loss.backward()
    trainer.step(2)

step()
profiler.set_config(profile_all=True, aggregate_stats=True, filename={name!r} % mpi.rank())
profiler.set_state("run")
step()
mpi.allreduce(nd.ones((1,)))
mpi.barrier()
profiler.set_state("stop")
say(table=profiler.dumps())
"""


def test_sums_are_in_the_table(ranks, tmp_path):
    for said in ranks(2, _PROGRAM.format(name=str(tmp_path / "%d.json"))).said:
        for name in ("MPI.advance", "MPI.wait", "MPI.meet", "MPI.collective"):
            assert name in said["table"]
