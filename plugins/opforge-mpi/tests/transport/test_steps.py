"""More ranks than processors: results are right, and waiting ranks yield the processors."""

import time

import pytest
from opforge_mpi.transport import steps

_WAIT = """
import time

def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def waiting(work):
    mpi.barrier()
    if mpi.rank() == 0:
        busy(0.5)
    began, used = time.monotonic(), time.process_time()
    work()
    return time.monotonic() - began, time.process_time() - used

net = gluon.nn.Dense(3, in_units=4)
net.initialize(mx.init.One())
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 1.0})

def step():
    with autograd.record():
        loss = net(nd.ones((1, 4)) * mpi.rank()).sum()
    loss.backward()
    trainer.step(1)

step()
numbers = nd.ones(1000) * (mpi.rank() + 1)
say(total=float(mpi.allreduce(numbers, average=False)[999].asscalar()))
say(sum=waiting(lambda: mpi.allreduce(numbers)), step=waiting(step))
say(weight=net.weight.data().asnumpy())
"""


@pytest.mark.parametrize("shared", ["1", "0"])
def test_ranks_that_wait_use_no_processor(ranks, shared):
    said = ranks(4, _WAIT, OPFORGE_MPI_SHARED_MEMORY=shared).said
    assert [one["total"] for one in said] == [1 + 2 + 3 + 4] * 4
    for one in said[1:]:
        assert one["weight"] == said[0]["weight"] == [[-2.0] * 4] * 3  # 1 - 2 * (0 + 1 + 2 + 3) / 4
        for waited, used in (one["sum"], one["step"]):
            # Spinning ranks would use a quarter of the processor time or more.
            assert used < 0.1 + waited / 10, (waited, used)


class _Pieces:
    """MPI request that each poll advances by one piece."""

    def __init__(self, pieces: int) -> None:
        self.left, self.looks = pieces, 0

    def Testall(self, requests: list["_Pieces"]) -> bool:
        self.looks += 1
        if self.left:
            self.left -= 1
            time.sleep(2 * steps._BUSY_POLL)
        return self.looks > 5


def test_polling_continues_while_data_moves():
    moving = _Pieces(3)
    requests = steps.Requests([moving])
    assert not requests.test() and moving.left == 0 and moving.looks <= 5
    done = _Pieces(9)
    assert steps.Requests([done]).test() and done.looks == 6
