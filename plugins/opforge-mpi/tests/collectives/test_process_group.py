"""SyncBatchNorm: ranks with parts of a batch get the results of one rank with the full batch."""

import numpy as np

_TRAIN = """
def train(x, y, hybridize):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(6, in_units=5), gluon.contrib.nn.SyncBatchNorm(in_channels=6),
                gluon.nn.Activation("tanh"), gluon.contrib.nn.SyncBatchNorm(),
                gluon.nn.Dense(1, in_units=6))
    mx.random.seed(1)
    net.initialize(mx.init.Normal(0.5))
    net.hybridize(hybridize)
    trainer = mpi.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x = nd.array(x)
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            loss = ((net(x) - nd.array(y)) ** 2).sum()
        loss.backward()
        trainer.step(len(y))
    return [x.grad.asnumpy(), *(p.data().asnumpy() for p in net.collect_params().values())]

rng = np.random.RandomState(0)
x, y = rng.randn(12, 5) + 3, rng.randn(12, 1)
part = np.array_split(np.arange(12), mpi.size())[mpi.rank()]
for hybridize in (False, True):
    say(**{f"hybrid{hybridize}": train(x[part], y[part], hybridize)})
say(shown=repr(gluon.nn.SyncBatchNorm(in_channels=2, prefix="sync_")))
layer = gluon.nn.SyncBatchNorm(in_channels=2, num_devices=7)
layer.initialize()
try:
    with autograd.train_mode():
        layer(nd.ones((2, 2)))
except ValueError as error:
    say(error=str(error))
"""


def test_results_are_those_of_one_rank(ranks):
    [alone] = ranks(1, _TRAIN).said
    assert "error" not in alone and "ndev=1" in alone["shown"]
    for count, shared in ((2, "1"), (3, "0")):
        parts = ranks(count, _TRAIN, OPFORGE_MPI_SHARED_MEMORY=shared).said
        for name in ("hybridFalse", "hybridTrue"):
            gradient = np.concatenate([said[name][0] for said in parts])
            np.testing.assert_allclose(gradient, alone[name][0], rtol=1e-4, atol=1e-5)
            for found, expected in zip(parts[0][name][1:], alone[name][1:], strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
            assert all(said[name][1:] == parts[0][name][1:] for said in parts)  # the same bits
        for said in parts:
            assert f"ndev={count}" in said["shown"]
            assert f"ndev is 7; expected {count}" in said["error"]


_ELSEWHERE = """
layer = gluon.nn.SyncBatchNorm(in_channels=2 + mpi.rank(), prefix="sync_")
layer.initialize()
with autograd.train_mode():
    layer(nd.ones((2, 2 + mpi.rank())))
"""


def test_other_channels_end_all_ranks_with_one_error(ranks):
    run = ranks(2, _ELSEWHERE, status=None)
    assert run.status != 0
    assert run.printed.count("\n  rank 0 (") == run.printed.count("\n  rank 1 (") > 0
    assert run.printed.count("opforge.base.errors.OperatorError") == 1
    assert "of sync_ forward (5,) float64" in run.printed
    assert "of sync_ forward (7,) float64" in run.printed
