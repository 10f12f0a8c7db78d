"""Sums that start during the backward pass: nothing in between is lost or counted twice."""

import numpy as np
import pytest

# A chain of layers whose gradients differ between ranks; expected values are sums over the ranks of
# the results of a single rank.
_NET = """
rank, size = mpi.rank(), mpi.size()

def network(**kwargs):
    net = gluon.nn.HybridSequential()
    net.add(*(gluon.nn.Dense(4, in_units=4, activation="tanh") for _ in range(3)))
    mx.random.seed(1)
    net.initialize(mx.init.Normal(1), **kwargs)
    return net

def backward(net, seed, **kwargs):
    x = nd.array(np.random.RandomState(seed).randn(5, 4), dtype=net[0].weight.dtype)
    with autograd.record():
        y = (net(x) ** 2).sum()
    y.backward()

def gradients(net):
    return [p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]

def expected(change=lambda net, rank: None, **kwargs):
    total = None
    for other in range(size):
        net = network(**kwargs)
        change(net, other)
        mine = gradients(net)
        total = mine if total is None else [a + b for a, b in zip(total, mine)]
    return total

def trained(change, step=0):
    net = network()
    net.hybridize(HYBRIDIZE)
    trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0})
    for step in range(3):
        change(net, rank)
        trainer.allreduce_grads()
        found = gradients(net)
        trainer.update(1, ignore_stale_grad=True)
        yield found

def check(change):
    wanted = expected(change)
    for step, found in enumerate(trained(change)):
        assert all(np.array_equal(a, b) for a, b in zip(found, wanted)), (change.__name__, step)
"""

_CASES = """
def one_pass(net, rank):
    backward(net, rank)

def clipped_on_one_rank(net, rank):
    backward(net, rank)
    if rank == 1:
        gluon.utils.clip_global_norm([p.grad() for p in net.collect_params().values()], 0.01)

def two_passes(net, rank):
    backward(net, rank + 10)
    backward(net, rank)

def two_passes_through_some(net, rank):
    backward(net, rank)
    with autograd.record():
        y = (net[2](nd.ones((1, 4)) * rank)).sum()
    y.backward()

def added(net, rank):
    for p in net.collect_params().values():
        p.grad_req = "add"
        p.zero_grad()
    backward(net, rank)
    backward(net, rank + 10)

def frozen(net, rank):
    net[1].weight.grad_req = "null"
    backward(net, rank)

def through_some_on_one_rank(net, rank):
    for p in net.collect_params().values():
        p.zero_grad()
    with autograd.record():
        y = ((net if rank else net[2])(nd.ones((1, 4)) * (1 + rank)) ** 2).sum()
    y.backward()

def two_passes_on_one_rank(net, rank):
    backward(net, rank)
    if rank:
        backward(net, rank + 10)

for change in (one_pass, clipped_on_one_rank, two_passes, two_passes_through_some, added, frozen,
               through_some_on_one_rank, two_passes_on_one_rank):
    check(change)

# Other types: the gradients are arranged again, and 16-bit floats are summed in float32.
net = network()
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0})
for dtype in ("float32", "float16", "bfloat16", "float64"):
    net.cast(dtype)
    for step in range(2):
        backward(net, rank)
        params = net.collect_params().values()
        addends = [mpi.allgather(p.grad().expand_dims(0)).asnumpy() for p in params]
        trainer.allreduce_grads()
        for addend, found in zip(addends, gradients(net)):
            total = addend[0].astype("float32" if "float16" in dtype else dtype)
            for other in addend[1:]:
                total = total + other
            assert found.dtype == dtype and np.array_equal(found, total.astype(dtype)), dtype

# No parameters, and no trained ones.
mpi.DistributedTrainer([], "sgd").step(1)
fixed = gluon.Parameter("fixed", shape=(2,), grad_req="null")
fixed.initialize()
mpi.DistributedTrainer([fixed], "sgd").step(1)

# Parameters initialized in the first pass are those of rank 0 afterwards.
net = gluon.nn.Dense(2)
mx.random.seed(rank)
net.initialize(mx.init.Normal(1))
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0})
net(nd.ones((1, 3)))
weights = mpi.allgather(net.weight.data().expand_dims(0)).asnumpy()
assert (weights == weights[0]).all()

# Copies on two contexts are summed with those of the other ranks.
pair = [mx.cpu(0), mx.cpu(1)]
net = gluon.nn.Dense(1, in_units=2, use_bias=False)
net.initialize(mx.init.One(), ctx=pair)
trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 1})
for step in range(2):
    with autograd.record():
        ys = [net(nd.ones((1, 2), ctx=ctx)) * (1 + rank + ctx.device_id) for ctx in pair]
    autograd.backward(ys)
    trainer.step(1)
    total = sum(1 + r + c for r in range(size) for c in range(2))
    assert all((g.asnumpy() == total).all() for g in net.weight.list_grad())
    moved = 1 - (step + 1) * total / size
    assert all(np.allclose(w.asnumpy(), moved) for w in net.weight.list_data())
say(done=True)
"""


_HALVES = """
weight = gluon.Parameter("weight", shape=(3,))
weight.initialize()
trainer = mpi.DistributedTrainer([weight], "sgd", {"learning_rate": 0})
for step in range(2):
    with autograd.record():
        y = weight.data() * nd.array([2049, 1 / 3, 20000]) * (1 + mpi.rank())
    y.backward()
    trainer.allreduce_grads()
say(sums=weight.grad().asnumpy())
"""


def test_gradients_are_sent_as_float16(ranks):
    values = np.array([2049, 1 / 3, 20000], np.float32)
    addends = [(values * (1 + rank)).astype(np.float16) for rank in range(2)]
    sums = (addends[0].astype(np.float32) + addends[1].astype(np.float32)).astype(np.float16)
    environment = {"OPFORGE_MPI_SHARED_MEMORY": "0", "OPFORGE_MPI_HALF_MESSAGES": "1"}
    for said in ranks(2, _HALVES, **environment).said:
        assert np.array_equal(np.float32(said["sums"]), sums.astype(np.float32))


@pytest.mark.parametrize(
    ("count", "hybridize", "environment"),
    [
        (2, True, {"OPFORGE_MPI_BUCKET_MB": "0.00005"}),
        (3, False, {"OPFORGE_MPI_SHARED_MEMORY": "0", "OPFORGE_MPI_BUCKET_MB": "0.0001"}),
    ],
)
def test_sums_of_gradients(ranks, count, hybridize, environment):
    program = f"HYBRIDIZE = {hybridize}\n{_NET}{_CASES}"
    assert [said["done"] for said in ranks(count, program, **environment).said] == [True] * count


_READ_IN_PLACE = """
class Greedy(mx.optimizer.Optimizer):
    # Like many user-defined optimizers, it modifies its arguments.
    def create_state(self, index, weight):
        return None

    def update(self, index, weight, grad, state):
        self._update_count(index)
        grad *= self.rescale_grad
        weight -= self.lr * grad

def weights(optimizer, summed_apart=False):
    params = [gluon.Parameter(f"weight{i}", shape=(400 * i,), init="ones") for i in (1, 2, 3)]
    for param in params:
        param.initialize()
    trainer = mpi.DistributedTrainer(params, optimizer)
    for step in range(5):
        used = params[: 2 if step in (1, 3) else 3]  # in some steps one of them is unused
        with autograd.record():
            ys = [p.data() ** 2 * (2 ** mpi.rank() + step) for p in used]
        autograd.backward(ys)
        own = params[0].grad().asnumpy()
        if summed_apart:
            trainer.allreduce_grads()
            assert (params[0].grad().asnumpy() != own).all()
            trainer.update(1, ignore_stale_grad=True)
            continue
        if step == 3 and optimizer.keeps_gradients:
            try:
                trainer.step(1)
            except UserWarning as error:  # raised after sums have started; nothing is updated
                assert "weight3" in str(error)
        trainer.step(1, ignore_stale_grad=True)
        assert (params[0].grad().asnumpy() == own).all() == optimizer.keeps_gradients
    return np.concatenate([p.data().asnumpy() for p in params])

def falling():
    return mx.optimizer.SGD(lr_scheduler=mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.02))

for sharing in (1, 2, 0):
    mpi.init(sharing_ranks=sharing, bucket_mb=0.003)
    assert (weights(falling()) == weights(falling(), summed_apart=True)).all()
    wanted = weights(mx.optimizer.SGD(learning_rate=0.01), summed_apart=True)
    assert (weights(mx.optimizer.SGD(learning_rate=0.01)) == wanted).all()
    assert np.allclose(weights(Greedy(learning_rate=0.01)), wanted, rtol=1e-6)
    everybody = mpi.allgather(nd.array(wanted[None])).asnumpy()
    say(**{f"alike{sharing}": bool((everybody == wanted).all())})
    mpi.shutdown()
"""


def test_sums_are_read_in_place(ranks):
    """With messages, with memory shared by two of three ranks, and with memory shared by all.

    With messages, parameters are updated as their sums arrive, all at the same learning rate.
    """
    wanted = {"alike1": True, "alike2": True, "alike0": True}
    assert ranks(3, _READ_IN_PLACE).said == [wanted] * 3
