"""Horovod programs: its module, and trainers and optimizers that train on all ranks."""

import textwrap

import numpy as np

_GLUON = """
import horovod.mxnet as hvd
hvd.init()
hvd.init()  # a second call has no effect
assert hvd.is_initialized() and hvd.mpi_enabled() and not hvd.nccl_built()
rank, size = hvd.rank(), hvd.size()
assert (hvd.local_rank(), hvd.cross_rank(), hvd.cross_size()) == (rank, 0, 1)

def batch(step):
    x = np.random.RandomState(step).randn(12, 3)
    part = slice(rank * 12 // size, (rank + 1) * 12 // size)
    return nd.array(x[part]), nd.array(x[part].sum(1, keepdims=True))

mx.random.seed(rank)  # ranks start differently, and continue with the last one's parameters
model = gluon.nn.HybridSequential(prefix="net_")
with model.name_scope():
    model.add(gluon.nn.Dense(4, activation="tanh", in_units=3), gluon.nn.Dense(1))
model.hybridize()
model.initialize(mx.init.Normal(0.5))
hvd.broadcast_parameters(model.collect_params(), root_rank=0)  # the second layer's follow
optimizer = mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9)
wrapped = hvd.DistributedOptimizer(optimizer)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    trainer = hvd.DistributedTrainer(model.collect_params(), wrapped, prefix="a")
for step in range(3):
    x, y = batch(step)
    with autograd.record():
        loss = ((model(x) - y) ** 2).sum()
    loss.backward()
    trainer.step(len(y))
say(gluon=[p.data().asnumpy() for p in model.collect_params().values()], told=len(told))
try:
    hvd.DistributedTrainer(model.collect_params(), "sgd", compression=hvd.Compression.fp16)
except RuntimeError as error:
    say(error=str(error))
"""

_MODULE = """
data = mx.sym.var("data")
hidden = mx.sym.FullyConnected(data, num_hidden=4, name="hidden")
out = mx.sym.FullyConnected(mx.sym.tanh(hidden), num_hidden=1, name="out")
loss = mx.sym.LinearRegressionOutput(out, mx.sym.var("label"), name="loss")
module = mx.mod.Module(loss, label_names=["label"])
x, y = batch(7)
batches = mx.io.NDArrayIter(x, y, batch_size=len(y), label_name="label")
module.bind(batches.provide_data, batches.provide_label)
mx.random.seed(3 + rank)
module.init_params(mx.init.Normal(0.5))
arguments, states = module.get_params()
hvd.broadcast_parameters(arguments)
hvd.broadcast_parameters(states)
module.set_params(arguments, states)
optimizer = mx.optimizer.create("adam", learning_rate=0.05, rescale_grad=1 / len(y))
wrapped = hvd.DistributedOptimizer(optimizer)
wrapped.lr = 0.1  # settings are those of the optimizer
assert optimizer.lr == wrapped.learning_rate == 0.1 and optimizer.rescale_grad == 1 / 12
assert pickle.loads(pickle.dumps(wrapped)).rescale_grad == optimizer.rescale_grad
module.fit(batches, num_epoch=3, kvstore=None, optimizer=wrapped)
values, _ = module.get_params()
say(module=[values[name].asnumpy() for name in sorted(values)])

weight, grad = nd.ones(2), nd.ones(2) * (rank + 1)
sgd = hvd.DistributedOptimizer(mx.optimizer.SGD(learning_rate=1.0))
sgd.update(0, weight, grad, sgd.create_state(0, weight))
say(single=weight.asnumpy(), own=grad.asnumpy())

first, second = [
    mx.optimizer.get_updater(hvd.DistributedOptimizer(mx.optimizer.SGD(momentum=momentum)))
    for momentum in (0.5, 0.25)
]
first(0, nd.ones(2), nd.ones(2))
for pickled in (False, True):
    second.set_states(first.get_states(dump_optimizer=True, pickled=pickled))
    assert isinstance(second.optimizer, hvd.DistributedOptimizer)
    assert second.optimizer.rescale_grad == first.optimizer.rescale_grad
    assert second.optimizer.momentum == 0.5
assert second.states[0].asnumpy().tolist() == first.states[0].asnumpy().tolist()
"""


def _program(body: str) -> str:
    return "import pickle, warnings\nimport opforge.mxnet\nopforge.mxnet.install(force=True)\n" + (
        textwrap.dedent(body)
    )


def _assert_close(found, expected):
    for name in ("gluon", "module"):
        assert len(found[name]) == len(expected[name]) == 4
        for some, others in zip(found[name], expected[name], strict=True):
            np.testing.assert_allclose(some, others, rtol=1e-4, atol=1e-5)


def test_programs_train_on_several_ranks_as_on_one(ranks):
    [alone] = ranks(1, _program(_GLUON + _MODULE)).said
    for count in (2, 3):
        said = ranks(count, _program(_GLUON + _MODULE)).said
        for one in said:
            _assert_close(one, alone)
            assert one["gluon"] == said[0]["gluon"] and one["module"] == said[0]["module"]
            assert one["told"] == 1  # that the optimizer is unwrapped
            assert "OPFORGE_MPI_HALF_MESSAGES=1" in one["error"]
        assert said[1]["single"] == [1 - (count + 1) / 2] * 2  # from the mean of 1, 2, ...
        assert said[1]["own"] == [2, 2]
    assert alone["single"] == [0, 0]


_DIFFERENT = """
sgd = mpi.DistributedOptimizer(mx.optimizer.SGD(param_idx2name={0: "w_weight"}))
weight = nd.ones(2 + mpi.rank())
sgd.update(0, weight, weight, None)
"""


def test_other_shapes_end_all_ranks_with_one_error(ranks):
    run = ranks(2, _DIFFERENT, status=None)
    assert run.status != 0
    assert "sum of w_weight (2,) float32" in run.printed
    assert "sum of w_weight (3,) float32" in run.printed
