"""From names, and what training loops are given, to stores."""

import pytest

import opforge as mx
from opforge import autograd, gluon, kvstore, nd
from opforge.kvstore.factory import LOCAL_STORES, resolved, store_for


class Doubling(kvstore.KVStoreBase):
    """The store of two workers that have the same gradients: it doubles, and begins with ones."""

    num_workers = 2

    def __init__(self):
        self.calls = []

    def broadcast(self, key, value, out, priority=0):
        self.calls.append(("broadcast", key))
        for array in out:
            array[:] = 1

    def pushpull(self, key, value, out=None, priority=0):
        self.calls.append(("pushpull", key))
        total = 2 * sum(value[1:], value[0])
        for array in value if out is None else out:
            array[:] = total


@pytest.mark.parametrize("name", [None, *LOCAL_STORES, "Device"])
def test_local_store_is_omitted_for_one_copy(name):
    assert store_for("Trainer", name, 1, 10) == (None, False)


@pytest.mark.parametrize("name", [*LOCAL_STORES, "Device"])
def test_several_copies_meet_in_a_store_that_updates_them(name, monkeypatch):
    monkeypatch.delenv("MXNET_UPDATE_ON_KVSTORE", raising=False)
    store, updates = store_for("Trainer", name, 2, 10)
    assert (store.type, updates) == (name.lower(), True)
    large = 1024 * 1024 * 16 + 1
    assert store_for("Trainer", name, 2, large)[1] is (name != "local")
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", "0")
    assert store_for("Trainer", name, 2, 10)[1] is False


def test_stores_are_used_as_given_and_names_resolved():
    store = Doubling()
    assert store_for("Trainer", store, 1, 10) == (store, False)
    local = kvstore.create("local")
    assert store_for("Trainer", local, 1, 10) == (local, True)
    kvstore.KVStoreBase.register(Doubling)
    assert isinstance(resolved("Trainer", "doubling"), Doubling)
    assert isinstance(store_for("Trainer", "doubling", 1, 10)[0], Doubling)
    assert kvstore.create("Doubling").type == "doubling"


@pytest.mark.parametrize("name", ["dist_async_device", "DIST_SYNC_P3", "p3", "byteps"])
def test_unknown_stores_are_rejected(name):
    text = rf"^Trainer: got kvstore='{name}'; expected 'local'.* Pass kvstore='device'"
    with pytest.raises(ValueError, match=text):
        resolved("Trainer", name)
    with pytest.raises(ValueError, match=f"Cannot find kvstore {name}") as caught:
        kvstore.create(name)
    assert "Registered: ." not in str(caught.value)


def test_other_objects_are_not_stores():
    with pytest.raises(TypeError, match="kvstore must be a name, a KVStoreBase or None; got int"):
        resolved("Trainer", 3)
    with pytest.raises(TypeError, match="name must be a string"):
        kvstore.create(3)


def test_a_trainer_sums_over_workers():
    store = Doubling()
    weight = gluon.Parameter("weight", shape=(1,))
    late = gluon.Parameter("late", shape=(0,), allow_deferred_init=True)
    for parameter in (weight, late):
        parameter.initialize(init="zeros")
    trainer = gluon.Trainer([weight, late], "sgd", {"learning_rate": 0.5}, kvstore=store)
    assert store.calls == [("broadcast", 0)]
    late.shape = (2,)
    late._finish_deferred_init()
    with autograd.record():
        loss = weight.data() * 3 + late.data().sum()
    loss.backward()
    trainer.step(1)
    assert store.calls[1:] == [("broadcast", 1), ("pushpull", 0), ("pushpull", 1)]
    assert weight.data().asscalar() == 1 - 0.5 * 2 * 3
    assert late.data().asnumpy().tolist() == [0, 0]


@pytest.mark.plugins
def test_a_module_sums_over_workers():
    net = mx.sym.sum(mx.sym.var("data") * mx.sym.var("weight"))
    module = mx.mod.Module(mx.sym.MakeLoss(net), label_names=[])
    module.bind([("data", (1, 2))])
    module.init_params(arg_params={"weight": nd.zeros((1, 2))})
    store = Doubling()
    module.init_optimizer(kvstore=store, optimizer="sgd", optimizer_params={"learning_rate": 0.5})
    module.forward(mx.io.DataBatch([nd.ones((1, 2)) * 4]), is_train=True)
    module.backward()
    module.update()
    # Ones at first; gradients of 4, doubled, divided by the batch of each of two workers.
    assert module.get_params()[0]["weight"].asnumpy().tolist() == [[-1, -1]]
    assert store.calls == [("broadcast", "weight"), ("pushpull", "weight")]
