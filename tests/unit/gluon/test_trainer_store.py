"""Use of a key-value store by a trainer: with several contexts, and with several workers."""

import gc
import pickle
import weakref

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, kvstore, nd

TWO = [mx.cpu(0), mx.cpu(1)]
MOMENTUM = {"learning_rate": 1.0, "momentum": 0.5}


@pytest.fixture(autouse=True)
def _usual_environment(monkeypatch):
    monkeypatch.delenv("MXNET_UPDATE_ON_KVSTORE", raising=False)


@pytest.fixture
def on_two(parameter):
    """Return a function that creates parameters of zeros on two contexts."""
    return lambda name="w": parameter(name, [0.0], ctx=TWO)


def backward(*params):
    """Set the gradient of each copy of each parameter to 1."""
    with autograd.record():
        losses = [value + 1 for param in params for value in param.list_data()]
    autograd.backward(losses)


def values(param):
    return [value.asscalar() for value in param.list_data()]


class Workers(kvstore.KVStoreBase):
    """A store of two workers with equal gradients, the first of which begins with 7."""

    num_workers = 2
    type = "dist_of_tests"

    def __init__(self):
        self.calls = []

    def broadcast(self, key, value, out, priority=0):
        self.calls.append(("broadcast", key, priority))
        for array in out:
            array[:] = 7

    def pushpull(self, key, value, out=None, priority=0):
        self.calls.append(("pushpull", key, priority))
        total = 2 * sum(value[1:], value[0])
        for array in value if out is None else out:
            array[:] = total


# -- which store updates ---------------------------------------------------------------------------


def test_one_context_needs_no_store(parameter):
    trainer = gluon.Trainer([parameter("w", [1.0])], "sgd", kvstore="local")
    backward(trainer._params[0])
    trainer.step(1)
    assert trainer._kv_initialized
    assert (trainer._kvstore, trainer._update_on_kvstore) == (None, None)
    assert trainer._params_to_init == []


@pytest.mark.parametrize("kind", ["local", "device"])
@pytest.mark.parametrize(("given", "updates"), [(None, True), (True, True), (False, False)])
def test_several_contexts(on_two, kind, given, updates):
    w = on_two()
    trainer = gluon.Trainer([w], "sgd", MOMENTUM, kvstore=kind, update_on_kvstore=given)
    assert trainer._kvstore is None
    for expected in (-2, -5):
        backward(w)
        trainer.step(1)
        assert values(w) == [expected] * 2
    assert trainer._kvstore.type == kind
    assert trainer._update_on_kvstore is updates
    updater = trainer._kvstore._updater if updates else trainer._updaters[1]
    assert updater.optimizer is trainer.optimizer
    assert updater.states[0].asscalar() == -3


@pytest.mark.parametrize("given", [None, True, False])
def test_row_sparse_gradients_of_several_contexts_are_summed(given):
    param = gluon.Parameter("w", shape=(3, 1), grad_stype="row_sparse")
    param.initialize(init="zeros", ctx=TWO)
    trainer = gluon.Trainer([param], "sgd", {"learning_rate": 1.0}, update_on_kvstore=given)
    with autograd.record():
        losses = [
            value * nd.array([[0], [1], [place]], ctx=value.context)
            for place, value in enumerate(param.list_data())
        ]
    autograd.backward(losses)
    trainer.step(1)
    assert trainer._update_on_kvstore is bool(given)  # by default only rows are copied
    assert [v.asnumpy()[:, 0].tolist() for v in param.list_data()] == [[0, -2, -1]] * 2


def test_the_environment_decides_where_the_program_does_not(on_two, monkeypatch):
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", "0")
    for given, updates in ((None, False), (True, True)):
        trainer = gluon.Trainer([on_two()], "sgd", update_on_kvstore=given)
        trainer._init_kvstore()
        assert trainer._update_on_kvstore is updates


def test_a_store_of_the_programs_own_is_used_for_one_context_too(parameter):
    w, store = parameter("w", [0.0]), kvstore.create("device")
    trainer = gluon.Trainer([w], "sgd", MOMENTUM, kvstore=store)
    for expected in (-1, -2.5):
        backward(w)
        trainer.step(1)
        assert values(w) == [expected]
    assert trainer._kvstore is store
    assert store.key_names == {0: "w"}


def test_without_a_store_the_copies_are_the_programs_affair(on_two):
    """As in MXNet, because the program may have summed them itself."""
    w = on_two()
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 1.0}, kvstore=None)
    with autograd.record():
        losses = [value * (1 + value.context.device_id) for value in w.list_data()]
    autograd.backward(losses)
    trainer.allreduce_grads()
    trainer.update(1)
    assert values(w) == [-1, -2]


def test_manual_updates_raise_if_the_store_updates(on_two):
    w = on_two()
    trainer = gluon.Trainer([w], "sgd")
    backward(w)
    for use in (trainer.allreduce_grads, lambda: trainer.update(1)):
        with pytest.raises(AssertionError, match="`update_on_kvstore` to False"):
            use()


def test_an_asynchronous_store_has_to_update(on_two):
    class Async(kvstore.KVStore):
        num_workers = 2

    store = Async("dist_async")
    with pytest.raises(ValueError, match="update_on_kvstore=True when training in async mode"):
        gluon.Trainer([on_two()], "sgd", kvstore=store, update_on_kvstore=False)
    assert gluon.Trainer([on_two()], "sgd", kvstore=store)._update_on_kvstore is True


def test_compression(on_two):
    w = on_two()
    compression = {"type": "2bit", "threshold": 0.75}
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 1.0}, compression_params=compression)
    for expected in (-1.5, -3.0, -4.5, -6.0):  # 1 per step on each, of which 0.75 is sent
        backward(w)
        trainer.step(1)
        assert values(w) == [expected] * 2
    refused = gluon.Trainer([on_two()], "sgd", kvstore="local", compression_params=compression)
    with pytest.raises(mx.MXNetError, match="'local' does not support compression"):
        refused._init_kvstore()


# -- gradients that are missing --------------------------------------------------------------------


def test_stale_gradients(on_two):
    w, unused = on_two(), on_two("unused")
    trainer = gluon.Trainer([w, unused], "sgd", {"learning_rate": 1.0, "wd": 0.5})
    backward(w)
    with pytest.raises(UserWarning, match=r"`unused` on context cpu\(0\)"):
        trainer.step(1)
    assert values(w) == [0, 0]
    trainer.step(1, ignore_stale_grad=True)
    assert values(w) == [-2, -2]
    backward(unused)
    with pytest.raises(UserWarning, match="`w`"):
        trainer.step(1)
    trainer.step(1, ignore_stale_grad=True)
    assert (values(w), values(unused)) == ([-2, -2], [-2, -2])


def test_other_workers_get_stale_gradients_too(parameter):
    """They may have used the parameter, and wait."""
    w, unused = parameter("w", [0.0]), parameter("unused", [0.0])

    class Alone(kvstore.KVStore):
        num_workers = 2

    store = Alone("dist_alone")
    trainer = gluon.Trainer([w, unused], "sgd", {"learning_rate": 1.0}, kvstore=store)
    pushed = []
    store._set_updater(lambda key, gradient, stored: pushed.append(key))
    backward(w)
    trainer.step(1, ignore_stale_grad=True)
    assert pushed == [0, 1]


@pytest.mark.plugins
def test_a_step_is_left_out_where_a_scaled_loss_overflows(on_two):
    w = on_two()
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 1.0})
    trainer._amp_loss_scaler = mx.contrib.amp.LossScaler()
    backward(w)
    w.grad(TWO[1])[:] = np.inf
    trainer.step(1)
    assert values(w) == [0, 0]


# -- values and states ----------------------------------------------------------------------------


@pytest.mark.parametrize("updates", [True, False])
def test_states_survive(on_two, updates, tmp_path):
    path = str(tmp_path / "states")
    trained, resumed = on_two(), on_two()
    first = gluon.Trainer([trained], "sgd", MOMENTUM, update_on_kvstore=updates)
    backward(trained)
    first.step(1)
    first.save_states(path)
    resumed.set_data(trained.data(TWO[0]))
    second = gluon.Trainer([resumed], "sgd", MOMENTUM, update_on_kvstore=updates)
    second.load_states(path)
    for trainer, param in ((first, trained), (second, resumed)):
        backward(param)
        trainer.step(1)
    assert values(trained) == values(resumed) == [-5, -5]
    resumed.lr_mult = 0.5
    updater = second._kvstore._updater if updates else second._updaters[0]
    assert updater.optimizer is second.optimizer
    assert second.optimizer._get_lr(0) == 0.5


def test_values_that_are_set_are_trained_on(on_two):
    w = on_two()
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 1.0})
    backward(w)
    trainer.step(1)
    w.set_data(nd.array([10.0]))
    assert (trainer._kvstore, trainer._kv_initialized) == (None, False)
    backward(w)
    trainer.step(1)
    assert values(w) == [8, 8]


def test_values_that_are_set_go_to_a_store_of_the_programs_own(on_two):
    w, store = on_two(), kvstore.create("device")
    trainer = gluon.Trainer([w], "sgd", MOMENTUM, kvstore=store)
    backward(w)
    trainer.step(1)
    w.set_data(nd.array([10.0]))
    assert trainer._kvstore is store
    backward(w)
    trainer.step(1)
    assert values(w) == [7, 7]  # the momentum is kept


def test_values_that_are_set_before_the_store_has_them(on_two):
    w, late = on_two(), gluon.Parameter("late", shape=(0,), allow_deferred_init=True)
    late.initialize(ctx=TWO, init="zeros")
    trainer = gluon.Trainer([w, late], "sgd", {"learning_rate": 1.0})
    trainer._begin()
    store = trainer._kvstore
    late.set_data(nd.array([5.0]))
    assert trainer._kvstore is store
    backward(w, late)
    trainer.step(1)
    assert (values(w), values(late)) == ([-2, -2], [3, 3])


def test_states_of_parameters_that_have_no_value_yet(on_two, tmp_path):
    late = gluon.Parameter("late", shape=(0,), allow_deferred_init=True)
    late.initialize(ctx=TWO)
    trainer = gluon.Trainer([late], "sgd")
    with pytest.raises(AssertionError, match="not yet initialized in kvstore"):
        trainer.save_states(str(tmp_path / "states"))


# -- workers --------------------------------------------------------------------------------------


def test_workers_begin_alike_before_anything_is_computed(parameter):
    w = parameter("w", [1.0])
    late = gluon.Parameter("late", shape=(0,), allow_deferred_init=True)
    late.initialize()
    store = Workers()
    trainer = gluon.Trainer([w, late], "sgd", {"learning_rate": 1.0}, kvstore=store)
    assert store.calls == [("broadcast", 0, 0)]
    assert values(w) == [7]
    late.shape = (1,)
    late._finish_deferred_init()
    assert store.calls[1:] == [("broadcast", 1, -1)]
    assert values(late) == [7]
    assert trainer._params_to_init == []
    backward(w, late)
    trainer.step(2)
    assert store.calls[2:] == [("pushpull", 0, 0), ("pushpull", 1, -1)]
    assert (values(w), values(late)) == ([6], [6])
    assert trainer._distributed is True


def test_the_store_of_several_processes_is_not_reset(parameter):
    trainer = gluon.Trainer([parameter("w", [1.0])], "sgd", kvstore=Workers())
    with pytest.raises(RuntimeError, match="Cannot reset distributed KVStore"):
        trainer._reset_kvstore()


def test_a_trainer_may_sum_in_its_own_way(parameter):
    """Horovod's DistributedTrainer derives from MXNet's in this way."""

    class Doubling(gluon.Trainer):
        def __init__(self, params, optimizer, optimizer_params):
            super().__init__(params, optimizer, optimizer_params, kvstore=None)

        def _allreduce_grads(self):
            for param in self._params:
                param.grad()[:] *= 2

    w = parameter("w", [0.0])
    trainer = Doubling([w], "sgd", {"learning_rate": 1.0})
    backward(w)
    trainer.step(1)
    assert values(w) == [-2]


# -- parameters and their trainers ----------------------------------------------------------------


def test_a_parameter_knows_its_trainer_and_does_not_keep_it(parameter):
    w = parameter("w", [1.0])
    trainer = gluon.Trainer([w], "sgd")
    assert w._trainer is trainer
    gone = weakref.ref(trainer)
    gc.disable()
    try:
        del trainer
        assert gone() is None
    finally:
        gc.enable()
    assert w._trainer is None


def test_a_parameter_that_is_trained_can_be_pickled(parameter):
    w = parameter("w", [1.0])
    trainer = gluon.Trainer([w], "sgd")
    w.register_grad_hook(lambda gradient: None)
    again = pickle.loads(pickle.dumps(w))
    assert values(again) == [1]
    assert (again._trainer, again._grad_hooks) == (None, None)
    assert w._trainer is trainer


def test_trainers_need_a_store_each(parameter):
    """As in MXNet: their keys are the indices of parameters, which the second one shares."""
    store = mx.kvstore.create("device")
    params = [parameter("first", [1.0], ctx=TWO), parameter("second", [1.0], ctx=TWO)]
    first, second = (gluon.Trainer([p], "sgd", {"learning_rate": 1.0}, store) for p in params)
    with autograd.record():
        losses = [value * 4 for p in params for value in p.list_data()]
    autograd.backward(losses)
    first.step(8)
    with pytest.raises(mx.MXNetError, match=r"0 \('second'\) gets a second .* its own store"):
        second.step(8)
    assert params[0].data(TWO[0]).asscalar() == 0
