import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.gluon import nn

TWO = [mx.cpu(0), mx.cpu(1)]


def backward(*params):
    """Set the gradient of each parameter to 4."""
    with autograd.record():
        losses = [value * 4 for param in params for value in param.list_data()]
    autograd.backward(losses)


def test_step_divides_by_the_batch_size(parameter):
    w = parameter("w", [1.0, 2.0])
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 0.5})
    backward(w)
    trainer.step(2)
    assert w.data().asnumpy().tolist() == [0, 1]


def test_stale_gradients(parameter):
    w, unused = parameter("w", [1.0]), parameter("unused", [1.0])
    trainer = gluon.Trainer([w, unused], "sgd", {"learning_rate": 1.0})
    backward(w)
    with pytest.raises(UserWarning, match="Gradient of Parameter `unused` on context cpu"):
        trainer.step(1)
    assert w.data().asscalar() == 1  # nothing was updated
    trainer.step(1, ignore_stale_grad=True)
    assert w.data().asscalar() == -3
    assert unused.data().asscalar() == 1
    with pytest.raises(UserWarning, match="`w`"):
        trainer.step(1)


@pytest.mark.plugins
@pytest.mark.parametrize("method", ["step", "update", "allreduce_grads"])
def test_parameters_of_unknown_shape_are_named(method):
    net = nn.Dense(2, prefix="fc_")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", update_on_kvstore=False)
    call = getattr(trainer, method)
    with pytest.raises(gluon.DeferredInitializationError, match="'fc_weight' has not been init"):
        call() if method == "allreduce_grads" else call(1)
    net.weight.grad_req = "null"
    net.bias.grad_req = "null"
    trainer.step(1)


def test_parameters_without_gradient_are_left(parameter):
    w, fixed = parameter("w", [1.0]), parameter("fixed", [1.0], grad_req="null")
    trainer = gluon.Trainer([w, fixed], "sgd", {"learning_rate": 1.0})
    backward(w)
    trainer.step(1)
    assert (w.data().asscalar(), fixed.data().asscalar()) == (-3, 1)


def test_multipliers(parameter):
    w, v = parameter("w", [1.0]), parameter("v", [1.0], lr_mult=0.5)
    trainer = gluon.Trainer({"w": w, "v": v}, "sgd", {"learning_rate": 1.0})
    backward(w, v)
    trainer.step(1)
    assert (w.data().asscalar(), v.data().asscalar()) == (-3, -1)


def test_gradients_of_several_contexts_are_summed(parameter):
    w = parameter("w", [1.0], ctx=TWO)
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 1.0, "momentum": 0.9})
    for expected in (-7, -22.2):
        backward(w)
        trainer.step(1)
        assert [w.data(c).asscalar() for c in TWO] == pytest.approx([expected] * 2)


def test_allreduce_and_update(parameter):
    w = parameter("w", [1.0], ctx=TWO)
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 1.0}, update_on_kvstore=False)
    backward(w)
    trainer.allreduce_grads()
    assert [w.grad(c).asscalar() for c in TWO] == [8, 8]
    trainer.update(8)
    assert [w.data(c).asscalar() for c in TWO] == [0, 0]


def test_learning_rate(parameter):
    w = parameter("w", [1.0])
    trainer = gluon.Trainer([w], "sgd")
    assert trainer.learning_rate == 0.01
    trainer.set_learning_rate(0.25)
    assert trainer.learning_rate == trainer.optimizer.lr == 0.25
    schedule = mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=1.0)
    scheduled = gluon.Trainer([w], "sgd", {"lr_scheduler": schedule})
    for expected in (1.0, 0.5, 0.25):
        backward(w)
        scheduled.step(1)
        assert scheduled.learning_rate == expected
    with pytest.raises(UserWarning, match="LRScheduler of the optimizer has already been defined"):
        scheduled.set_learning_rate(1)


def test_states_survive(parameter, tmp_path):
    path = str(tmp_path / "states")
    w, v = parameter("w", [1.0]), parameter("w", [1.0])
    settings = {"learning_rate": 0.1, "momentum": 0.9}
    one, two = gluon.Trainer([w], "sgd", settings), gluon.Trainer([v], "sgd", settings)
    backward(w)
    one.step(1)
    one.save_states(path)
    v.set_data(w.data())
    two.load_states(path)
    v.lr_mult = w.lr_mult = 0.5
    for trainer, param in ((one, w), (two, v)):
        backward(param)
        trainer.step(1)
    assert v.data().asscalar() == w.data().asscalar()
    assert two.optimizer.num_update == 2


def test_a_file_that_mxnet_reads(parameter, tmp_path):
    path = tmp_path / "states"
    w, v = parameter("w", [1.0]), parameter("w", [1.0])
    one, two = gluon.Trainer([w], "adam"), gluon.Trainer([v], "adam")
    backward(w)
    one.step(1)
    one.save_states(str(path), pickled=True)
    assert b"mxnet.optimizer.optimizer\nAdam\n" in path.read_bytes()
    two.load_states(str(path))
    assert two.optimizer.num_update == 1
    for found, expected in zip(two._updaters[0].states[0], one._updaters[0].states[0], strict=True):
        assert found.asscalar() == expected.asscalar()


def test_states_of_each_context_are_saved(tmp_path):
    """Without a store, contexts are trained separately."""
    path, contexts = str(tmp_path / "states"), [mx.cpu(0), mx.cpu(1)]

    def trained(save):
        w = gluon.Parameter("w", shape=(1,), init="ones")
        w.initialize(ctx=contexts)
        made = [
            gluon.Trainer([w], "sgd", {"momentum": 0.5, "learning_rate": 0.5}, kvstore=None)
            for _ in range(2)
        ]
        for step in range(3):
            for scale, context in enumerate(contexts, 1):
                with mx.autograd.record():
                    loss = w.data(context) * scale
                loss.backward()
            trainer = made[0 if step < 2 or not save else 1]
            trainer.step(1)
            if save and step == 1:
                trainer.save_states(path)
                made[1].load_states(path)
        return [w.data(context).asscalar() for context in contexts]

    assert trained(True) == trained(False)
    w = gluon.Parameter("w", shape=(1,), init="ones")
    w.initialize(ctx=[mx.cpu(i) for i in range(3)])
    trainer = gluon.Trainer([w], "sgd", kvstore=None)
    with pytest.raises(mx.base.MXNetError, match="states of 2 contexts, expected 3"):
        trainer.load_states(path)
    with pytest.raises(ValueError, match="the states of one context, got 3"):
        trainer.save_states(path, pickled=True)


def test_states_of_one_context_are_those_of_all(tmp_path):
    """A store sums the gradients; the states of the second context stay there."""
    path, contexts = str(tmp_path / "states"), [mx.cpu(0), mx.cpu(1)]
    w = gluon.Parameter("w", shape=(1,), init="ones")
    w.initialize(ctx=contexts)
    settings = {"momentum": 0.5}
    made = [gluon.Trainer([w], "sgd", settings, update_on_kvstore=False) for _ in range(2)]
    for trainer in made:
        for context in contexts:
            with mx.autograd.record():
                loss = w.data(context) * 2
            loss.backward()
        trainer.step(1)
        trainer.save_states(path)
        made[1].load_states(path)
    states = [updater.states[0] for updater in made[1]._updaters]
    assert [state.asscalar() for state in states] == [states[0].asscalar()] * 2
    assert states[0] is not states[1]


def test_arguments(parameter):
    w = parameter("w", [1.0])
    with pytest.raises(ValueError, match="got list of <class 'int'>"):
        gluon.Trainer([1], "sgd")
    with pytest.raises(ValueError, match="list or dict of Parameters, got <class 'int'>"):
        gluon.Trainer(3, "sgd")
    with pytest.raises(ValueError, match="Cannot find optimizer sgdd"):
        gluon.Trainer([w], "sgdd")
    with pytest.raises(RuntimeError, match="has not been initialized"):
        gluon.Trainer([gluon.Parameter("u", shape=(1,))], "sgd")
    with pytest.raises(AssertionError, match="same set of contexts"):
        gluon.Trainer([w, parameter("v", [1.0], ctx=TWO)], "sgd")
    with pytest.raises(AssertionError, match="optimizer_params must be None"):
        gluon.Trainer([w], mx.optimizer.SGD(), {"momentum": 0.9})
    assert gluon.Trainer([w], mx.optimizer.Adam()).learning_rate == 0.001


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-4}),
        ("adam", {"learning_rate": 0.05}),
        ("rmsprop", {"learning_rate": 0.02}),
    ],
)
def test_a_network_learns(dense, name, settings):
    rng = np.random.default_rng(0)
    x_nc = rng.normal(size=(64, 6)).astype("float32")
    labels = (x_nc[:, 0] + x_nc[:, 1] * x_nc[:, 2] > 0).astype("float32")
    net = nn.HybridSequential()
    net.add(dense(16), nn.HybridLambda("tanh"), dense(2))
    net.initialize(mx.init.Xavier())
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), name, settings)
    x, y = nd.array(x_nc), nd.array(labels)
    for _ in range(150):
        with autograd.record():
            batch_loss = loss(net(x), y)
        batch_loss.backward()
        trainer.step(len(labels))
    metric = mx.metric.Accuracy()
    metric.update(y, net(x))
    assert metric.get()[1] > 0.95


@pytest.mark.parametrize("kvstore", ["dist_sync_p3", "byteps"])
def test_a_store_beyond_this_process_is_rejected(parameter, kvstore):
    with pytest.raises(ValueError, match=f"Trainer: got kvstore='{kvstore}'"):
        gluon.Trainer([parameter("w", [1.0])], "sgd", kvstore=kvstore)


def test_a_block_gives_its_parameters():
    class Scale(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.factor = self.params.get("factor", shape=(1,), init="ones")

        def hybrid_forward(self, F, x, factor):
            return x * factor

    net = nn.HybridSequential(Scale())
    net.initialize()
    trainer = gluon.Trainer(net, "sgd", {"learning_rate": 0.5})
    with autograd.record():
        loss = net(nd.ones((1,)))
    loss.backward()
    trainer.step(1)
    assert net[0].factor.data().asscalar() == 0.5


def test_trainers_show_their_optimizer(parameter):
    trainer = gluon.Trainer([parameter("w", [1.0])], "adam")
    assert repr(trainer) == "Trainer(Adam, learning_rate=0.001, 1 parameter)"
    trainer.set_learning_rate(0.5)
    assert repr(trainer) == "Trainer(Adam, learning_rate=0.5, 1 parameter)"
