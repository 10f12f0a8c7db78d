"""Repeated training: the same bits each time, and no leaks."""

_NET = """
import hashlib

rank, size = mpi.rank(), mpi.size()

def network(seed=1):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(40, in_units=30, activation="tanh"),
                gluon.nn.SyncBatchNorm(in_channels=40), gluon.nn.Dropout(0.5),
                gluon.nn.Dense(3, in_units=40))
    mx.random.seed(seed)
    net.initialize(mx.init.Normal(0.5))
    return net

def bits(net):
    params = net.collect_params().values()
    arrays = [p.data() for p in params] + [p.grad() for p in params if p.grad_req != "null"]
    return hashlib.sha256(b"".join(a.asnumpy().tobytes() for a in arrays)).hexdigest()

x = nd.array(np.random.RandomState(rank).randn(8, 30))

def step(net, trainer):
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    trainer.allreduce_grads()
    trainer.update(8)
"""

_SAME = """
found = set()
for repetition in range(REPETITIONS):
    net = network()
    net.hybridize(bool(repetition % 2))
    mx.random.seed(100 + rank)
    trainer = mpi.DistributedTrainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    for _ in range(3):
        step(net, trainer)
    found.add(bits(net))
say(found=sorted(found))
"""


def test_gradients_and_updates_have_the_same_bits(ranks, stress):
    """With ``--stress 20``, 100 repetitions, also on 4 ranks."""
    program = f"REPETITIONS = {5 * stress}\n{_NET}{_SAME}"
    ways = [
        (2, "1", "0"),
        (3, "1", "2"),
        (3, "0", "0"),
        (4, "1", "0"),
        (4, "1", "2"),
        (4, "0", "0"),
    ]
    for count, shared, sharing in ways[: 2 if stress == 1 else None]:
        environment = {
            "OPFORGE_MPI_SHARED_MEMORY": shared,
            "OPFORGE_MPI_SHARING_RANKS": sharing,
            "OPFORGE_MPI_BUCKET_MB": "0.002",
        }
        first, *others = ranks(count, program, **environment).said
        assert len(first["found"]) == 1
        assert all(said == first for said in others)


_LEAKS = """
from mpi4py import MPI
from opforge_mpi.collectives.session import world
from opforge_mpi.transport.steps import Requests

made, begin = [], Requests.__init__

def begun(self, requests, *others):
    made.extend(requests)
    begin(self, requests, *others)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

Requests.__init__ = begun
net = network()
trainer = mpi.DistributedTrainer(net.collect_params(), "adam")
count = 0
for at in range(STEPS):
    if at == STEPS // 10:
        before = resident()
    step(net, trainer)
    world().drain()
    assert all(request == MPI.REQUEST_NULL for request in made), "a request was not completed"
    count += len(made)
    made.clear()
say(grown=resident() - before, requests=count)
"""


def test_steps_leave_no_requests_and_no_memory(ranks, stress):
    """With ``--stress 100``, 10,000 steps during which no rank may grow."""
    program = f"STEPS = {100 * stress}\n{_NET}{_LEAKS}"
    for shared in "0" if stress == 1 else "01":
        for said in ranks(2, program, OPFORGE_MPI_SHARED_MEMORY=shared).said:
            assert said["requests"] >= 100 * stress
            assert stress == 1 or said["grown"] <= 4 * 2**20


_STREAMS = """
net = network()
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
mx.random.seed(100 + rank)
with autograd.train_mode():
    mask = nd.Dropout(nd.ones((64,)))
say(mask=mask.asnumpy(), weight=net[0].weight.data().asnumpy())
step(net, trainer)
say(trained=bits(net))

net = network()
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
trainer._init_params()  # rank 0's go to all, as the first forward pass does
if rank:
    net[3].weight.set_data(nd.ones((3, 40)))
try:
    step(net, trainer)
except mpi.DistributedError as error:
    say(error=str(error), ranks=error.ranks)
"""


def test_streams_differ_and_parameters_agree(ranks):
    first, second = ranks(2, _NET + _STREAMS).said
    assert first["mask"] != second["mask"] and first["weight"] == second["weight"]
    assert first["trained"] == second["trained"]
    for said in (first, second):
        assert "of net_dense1_weight (3, 40) float32 with hash " in said["error"]
        assert said["ranks"] == [1]


_SET = """
net = network()
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

def go_on():
    for _ in range(2):
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(8)

go_on()
net[3].weight.set_data(nd.ones((3, 40)))  # on all ranks
go_on()
if rank == 0:
    net[3].weight.set_data(nd.zeros((3, 40)))
mpi.broadcast_parameters(net.collect_params())
go_on()
if rank:
    net[3].weight.set_data(nd.ones((3, 40)))
try:
    go_on()
except mpi.DistributedError as error:
    say(error=str(error), ranks=error.ranks)
"""


def test_a_value_that_one_rank_sets_alone_is_detected_at_the_next_step(ranks):
    for environment in ({}, {"OPFORGE_MPI_SHARED_MEMORY": "0"}):
        for said in ranks(2, _NET + _SET, **environment).said:
            assert "continuing with values of net_dense1_weight (3, 40) float32" in said["error"]
            assert "rank 1 (" in said["error"] and said["ranks"] == [1]


_TWO = """
def weights(net):
    return [p.data().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]

made, judged = network(1), network(2)
between = gluon.nn.Dense(30, in_units=3)
between.initialize(mx.init.One())
trainers = [mpi.DistributedTrainer(net.collect_params(), "adam", {"learning_rate": 0.01})
            for net in (made, judged)]
for _ in range(4):
    for trainer in trainers:  # each pass writes the gradients of both
        with autograd.record():
            loss = (judged(between(made(x))) ** 2).sum()
        loss.backward()
        trainer.step(8)
say(weights=weights(made) + weights(judged))
"""


def test_two_trainers_whose_gradients_come_from_one_pass(ranks):
    """As in adversarial training: the next pass invalidates sums that have started."""
    wanted = None
    for environment in ({"OPFORGE_MPI_BUCKET_MB": "0.002"}, {"OPFORGE_MPI_SHARED_MEMORY": "0"}):
        for said in ranks(2, _NET + _TWO, **environment).said:
            wanted = said if wanted is None else wanted
            assert said == wanted
