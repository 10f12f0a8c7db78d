"""Training on several ranks gives the results of one rank with all the data."""

import numpy as np
import pytest

_TRAIN = """
def train(batch, begin, trainer_of, hybridize=False, dtype="float32"):
    np.random.seed(3)
    x = nd.array(np.random.randn(4, 24, 5), dtype=dtype)
    y = nd.array(np.random.randn(4, 24, 1), dtype=dtype)
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(7, activation="tanh", in_units=5), gluon.nn.Dense(1, in_units=7))
    mx.random.seed(mpi.rank())  # ranks start differently, and continue with rank 0's parameters
    net.initialize(mx.init.Normal(0.5))
    net.cast(dtype)
    if hybridize:
        net.hybridize()
    trainer = trainer_of(net.collect_params())
    for step in range(4):
        rows = slice(begin, begin + batch)
        with autograd.record():
            loss = ((net(x[step][rows]) - y[step][rows]) ** 2).sum()
        loss.backward()
        trainer.step(batch)
    return [p.data().asnumpy() for p in net.collect_params().values()], trainer
"""

_PARTS = """
share = 24 // mpi.size()
def horovod(params):
    return mpi.DistributedTrainer(params, "sgd", {"learning_rate": 0.1, "momentum": 0.9})
def dist(params):
    return gluon.Trainer(params, "adam", {"learning_rate": 0.1}, kvstore="dist_sync")
for name, kind, options in (
    ("sgd", horovod, {}), ("again", horovod, {}), ("hybrid", horovod, {"hybridize": True}),
    ("half", horovod, {"dtype": "float16"}), ("adam", dist, {}),
):
    found, trainer = train(share, share * mpi.rank(), kind, **options)
    say(**{name: found})
say(workers=trainer._kvstore.num_workers, type=trainer._kvstore.type)
"""


def _all_equal(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.fixture
def trained(ranks):
    return lambda count: ranks(count, _TRAIN + _PARTS).said


def test_ranks_with_parts_agree_with_one_rank(trained):
    [alone] = trained(1)
    both = trained(2)
    for name in ("sgd", "hybrid", "half", "adam"):
        # The same bits on all ranks, and the same numbers as one rank within rounding.
        assert _all_equal(both[0][name], both[1][name]), name
        for found, expected in zip(both[0][name], alone[name], strict=True):
            np.testing.assert_allclose(
                found, expected, rtol=1e-5, atol=5e-3 if name == "half" else 1e-5
            )
    assert _all_equal(both[0]["sgd"], both[0]["again"])
    assert (both[0]["workers"], both[0]["type"]) == (2, "dist_sync")


_STORE = """
store = mx.kvstore.create("dist_device_sync")
rank, size = mpi.rank(), mpi.size()
assert (store.rank, store.num_workers, store.type) == (rank, size, "dist_device_sync")
store.init(["a", "b"], [nd.ones((2, 2)) * (rank + 5), nd.ones(3) * rank])
out = [nd.zeros((2, 2)), nd.zeros(3)]
store.pull(["a", "b"], out)
assert (out[0].asnumpy() == 5).all() and (out[1].asnumpy() == 0).all()  # rank 0's
given = [nd.ones((2, 2), mx.cpu(0)) * rank, nd.ones((2, 2), mx.cpu(1))]
store.push("a", given)
store.pull("a", out=out[0])
assert (out[0].asnumpy() == size + sum(range(size))).all() and (given[0].asnumpy() == rank).all()
halves = [nd.full(3, value, dtype="bfloat16") for value in (256, 2)]
store.init("c", halves[0])
store.push("c", halves)
store.pull("c", out=halves[0])
assert (halves[0].asnumpy() == 258 * size).all()
store.pushpull("a", given)  # in place
assert all((array.asnumpy() == size + sum(range(size))).all() for array in given)
given = nd.ones(3) * rank
store.pushpull("b", given, out=out[1])
assert (out[1].asnumpy() == sum(range(size))).all() and (given.asnumpy() == rank).all()
store.set_optimizer(mx.optimizer.SGD(learning_rate=1.0, wd=0.0))
store.push("b", nd.ones(3))
store.pull("b", out=out[1])
assert (out[1].asnumpy() == sum(range(size)) - size).all()
store = mx.kvstore.create("dist_sync")
store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
store.init(0, nd.zeros(2))
for step, total in enumerate((0, 0.5 * size, 0)):  # each rank keeps its residual
    store.push(0, nd.ones(2) * 0.3)
    store.pull(0, out := nd.zeros(2))
    assert (out.asnumpy() == total).all(), step
# Two devices: their sum is compressed, once.
store.init(1, nd.zeros(2))
store.push(1, [nd.ones(2, mx.cpu(device)) * 0.3 for device in range(2)])
store.pull(1, out := nd.zeros(2))
assert (out.asnumpy() == 0.5 * size).all()

rows = np.ones((8, 3), np.float32) * (rank + 1)
data = mx.io.NDArrayIter(rows, np.zeros(8), batch_size=4, label_name="label")
dense = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="dense")
loss = mx.sym.LinearRegressionOutput(dense, mx.sym.var("label"))
module = mx.mod.Module(loss, label_names=["label"])
mx.random.seed(rank)
module.fit(data, num_epoch=2, kvstore="dist_sync", optimizer_params={"learning_rate": 0.01})
weights = mpi.allgather(module.get_params()[0]["dense_weight"]).asnumpy()
assert (weights == weights[0]).all()
store.barrier()
say(done=True)
try:
    mx.kvstore.create("dist_async")
except RuntimeError as error:
    say(error=str(error))
"""


def test_a_store_and_a_module_over_ranks(ranks):
    for said in ranks(2, _STORE).said:
        assert said["done"]
        assert "got 2 ranks; expected 1" in said["error"]
