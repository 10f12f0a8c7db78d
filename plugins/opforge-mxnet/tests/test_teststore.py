"""MXNet's example of a store."""

import pytest

import opforge as mx
from opforge import gluon, nd

CONTEXTS = [mx.cpu(0), mx.cpu(1)]


def test_it_copies_and_sums():
    store = mx.kv.create("teststore")
    assert (store.type, store.rank, store.num_workers) == ("teststore", 0, 1)
    assert type(store).is_capable("optimizer") is False
    out = nd.zeros(2)
    store.broadcast("w", nd.ones(2) * 3, out)
    store.broadcast("w", nd.ones(2) * 3, [out])
    assert out.asnumpy().tolist() == [3, 3]
    grads = [nd.ones(2, ctx) * (1 + ctx.device_id) for ctx in CONTEXTS]
    store.pushpull("w", grads, out=out)
    assert out.asnumpy().tolist() == [3, 3]
    store.pushpull("w", grads)
    assert [g.asnumpy().tolist() for g in grads] == [[3, 3]] * 2


def test_a_trainer_with_it_updates_by_itself():
    x = gluon.Parameter("x", shape=(2,))
    x.initialize(ctx=CONTEXTS, init="zeros")
    store = mx.kv.create("teststore")
    trainer = gluon.Trainer([x], "sgd", {"learning_rate": 1.0}, kvstore=store)
    with mx.autograd.record():
        for w in x.list_data():
            (w + 1).backward()
    trainer.step(1)
    assert trainer._update_on_kvstore is False
    assert [w.asnumpy().tolist() for w in x.list_data()] == [[-2, -2]] * 2
    refused = gluon.Trainer([x], "sgd", kvstore=store, update_on_kvstore=True)
    with pytest.raises(ValueError, match="update_on_kvstore=False when training with TestStore"):
        refused._init_kvstore()
