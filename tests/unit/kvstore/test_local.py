import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.kvstore import KVStore


def store(kind="local"):
    made = mx.kv.create(kind)
    made.init("w", nd.ones((2,)))
    made.init([3, 4], [nd.zeros((1,)), nd.ones((1,)) * 4])
    return made


def pulled(made, key, shape=(2,)):
    out = nd.zeros(shape)
    made.pull(key, out=out)
    return out.asnumpy().tolist()


def test_what_devices_push_is_summed():
    made = store("device")
    assert pulled(made, "w") == [1, 1]
    made.push("w", [nd.ones((2,), ctx=mx.cpu(i)) for i in range(3)])
    assert pulled(made, "w") == [3, 3]
    made.push([3, 4], [[nd.ones((1,))] * 2, [nd.ones((1,))] * 3])
    outs = [[nd.zeros((1,), ctx=mx.cpu(1))], [nd.zeros((1,))]]
    made.pull([3, 4], out=outs)
    assert [array.asscalar() for (array,) in outs] == [2, 3]
    made.push([3, 4], [nd.ones((1,))] * 4)
    assert pulled(made, 4, (1,)) == [2]


def test_pushpull_and_broadcast():
    made = store()
    grads = [nd.ones((2,)), nd.ones((2,)) * 2]
    made.pushpull("w", grads)
    assert [g.asnumpy().tolist() for g in grads] == [[3, 3], [3, 3]]
    out = nd.zeros((2,))
    made.pushpull("w", grads, out=out)
    assert out.asnumpy().tolist() == [6, 6]
    made.broadcast("new", nd.ones((2,)) * 7, out=[out])
    assert out.asnumpy().tolist() == [7, 7]


def test_an_optimizer_in_the_store(tmp_path):
    made = store()
    with pytest.raises(AssertionError, match="set_optimizer first"):
        made.save_optimizer_states(str(tmp_path / "states"))
    made.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.5))
    made.push("w", nd.ones((2,)))
    made.push("w", nd.ones((2,)))
    assert pulled(made, "w") == [-0.25, -0.25]
    made.save_optimizer_states(str(tmp_path / "states"))
    other = store()
    other.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.5))
    other.load_optimizer_states(str(tmp_path / "states"))
    other.push("w", nd.zeros((2,)))
    assert np.allclose(pulled(other, "w"), 1 - 0.375)


def test_an_updater_of_ones_own():
    made = store()
    calls = []

    def updater(key, pushed, stored):
        calls.append(key)
        stored += pushed * 2

    made._set_updater(updater)
    made.push("w", [nd.ones((2,))] * 2)
    made.push(3, nd.ones((1,)))
    made.init("7", nd.ones((1,)))
    made.push("7", nd.ones((1,)))
    assert pulled(made, "w") == [5, 5]
    assert calls == ["w", 3, 7]


def test_what_it_is():
    made = mx.kvstore.create("device")
    assert (made.type, made.rank, made.num_workers) == ("device", 0, 1)
    assert isinstance(made, KVStore)
    assert made.is_capable("optimizer")
    assert not KVStore.is_capable("compression")


def test_mistakes_are_named():
    made = store()
    for use, message in (
        (lambda: made.init("w", nd.ones((2,))), "'w' has a value already"),
        (lambda: made.push("x", nd.ones((2,))), "push: the key 'x' has no value"),
        (lambda: made.pull("x", out=nd.ones((2,))), "pull: the key 'x' has no value"),
    ):
        with pytest.raises(mx.MXNetError, match=message):
            use()
    with pytest.raises(ValueError, match="got 3 values for 2 keys"):
        made.push([3, 4], [nd.ones((1,))] * 3)
    with pytest.raises(TypeError, match=r"the key 1\.5"):
        made.push(1.5, nd.ones((1,)))
    with pytest.raises(AssertionError, match="pass out="):
        made.pull("w")
