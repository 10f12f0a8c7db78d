"""The store of one process: sums, updates, compression, and what it refuses."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.kvstore import KVStore

KINDS = ["local", "device"]


def store(kind="local"):
    made = mx.kv.create(kind)
    made.init("w", nd.ones((2,)))
    made.init(["3", "4"], [nd.zeros((1,)), nd.ones((1,)) * 4])
    return made


def pulled(made, key, shape=(2,)):
    out = nd.zeros(shape)
    made.pull(key, out=out)
    return out.asnumpy().tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_pushed_device_values_are_summed(kind):
    made = store(kind)
    assert pulled(made, "w") == [1, 1]
    made.push("w", [nd.ones((2,), ctx=mx.cpu(i)) for i in range(3)])
    assert pulled(made, "w") == [3, 3]
    made.push(["3", "4"], [[nd.ones((1,))] * 2, (nd.ones((1,)),) * 3])
    outs = [[nd.zeros((1,), ctx=mx.cpu(1))], nd.zeros((1,))]
    made.pull(["3", "4"], out=outs)
    assert [outs[0][0].asscalar(), outs[1].asscalar()] == [2, 3]
    assert outs[0][0].context == mx.cpu(1)


def test_a_key_that_is_pushed_twice_in_a_call_is_summed():
    made = store()
    made.push(["w", "w"], [nd.ones((2,)), nd.ones((2,)) * 5])
    assert pulled(made, "w") == [6, 6]
    outs = [nd.zeros((2,)), nd.zeros((2,))]
    made.pull(["w", "w"], out=outs)
    assert [out.asnumpy().tolist() for out in outs] == [[6, 6], [6, 6]]


def test_push_copies_values():
    made = store()
    pushed = nd.ones((2,)) * 5
    made.push("w", pushed)
    pushed[:] = 7
    assert pulled(made, "w") == [5, 5]


def test_values_are_converted_to_the_type_that_is_stored():
    made = store()
    made.push("w", nd.ones((2,), dtype="float64") * 3)
    out = nd.zeros((2,), dtype="float16")
    made.pull("w", out=out)
    assert out.dtype == np.float16
    assert out.asnumpy().tolist() == [3, 3]


def test_pushpull_and_broadcast():
    made = store()
    grads = [nd.ones((2,)), nd.ones((2,)) * 2]
    made.pushpull("w", grads)
    assert [g.asnumpy().tolist() for g in grads] == [[3, 3], [3, 3]]
    out = nd.zeros((2,))
    made.pushpull("w", grads, out=out)
    assert out.asnumpy().tolist() == pulled(made, "w") == [6, 6]
    made.broadcast("new", nd.ones((2,)) * 7, out=[out])
    assert out.asnumpy().tolist() == [7, 7]


def test_several_keys_in_one_call():
    made = store()
    grads = {"w": [nd.ones((2,))] * 2, "4": [nd.ones((1,)) * 5]}
    outs = {"w": [nd.zeros((2,))], "4": [nd.zeros((1,))]}
    made.pushpull_all(grads, outs)
    assert outs["w"][0].asnumpy().tolist() == [2, 2]
    made.pushpull_all(grads)
    assert grads["w"][1].asnumpy().tolist() == [2, 2]
    assert grads["4"][0].asscalar() == outs["4"][0].asscalar() == 5


def test_nothing_is_recorded():
    made = store()
    x = nd.ones((2,))
    x.attach_grad()
    with mx.autograd.record():
        made.push("w", x * 2)
        made.pull("w", out=x)
    assert x.asnumpy().tolist() == [2, 2]


def test_an_optimizer_in_the_store(tmp_path):
    made, path = store(), str(tmp_path / "states")
    for use in (made.save_optimizer_states, made.load_optimizer_states):
        with pytest.raises(AssertionError, match="set_optimizer first"):
            use(path)
    with pytest.raises(TypeError, match="got str; expected an Optimizer"):
        made.set_optimizer("sgd")
    made.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.5))
    made.push("w", nd.ones((2,)))
    made.push("w", nd.ones((2,)))
    assert pulled(made, "w") == [-0.25, -0.25]
    made.save_optimizer_states(path)
    other = store()
    other.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.5))
    other.load_optimizer_states(path)
    other.push("w", nd.zeros((2,)))
    assert np.allclose(pulled(other, "w"), 1 - 0.375)
    made.save_optimizer_states(path, pickled=True)
    other.load_optimizer_states(path)
    other.push("w", nd.zeros((2,)))
    assert np.allclose(pulled(other, "w"), 1 - 2 * 0.375)


def test_an_optimizer_gets_all_keys_of_a_call_together():
    made, single = store(), store()
    calls = []

    class Counting(mx.optimizer.SGD):
        def update_weights(self, indices, *rest):
            calls.append(list(indices))
            super().update_weights(indices, *rest)

    made.set_optimizer(Counting(learning_rate=0.5, momentum=0.5))
    single.set_optimizer(mx.optimizer.SGD(learning_rate=0.5, momentum=0.5))
    for _ in range(2):
        made.push(["w", "3"], [nd.ones((2,)), nd.ones((1,))])
        single.push("w", nd.ones((2,)))
        single.push("3", nd.ones((1,)))
    assert calls == [["w", "3"]] * 2
    assert pulled(made, "w") == pulled(single, "w")
    assert pulled(made, "3", (1,)) == pulled(single, "3", (1,))


def test_an_updater_of_ones_own():
    made = store()
    calls = []

    def updater(key, pushed, stored):
        calls.append(key)
        stored += pushed * 2

    made._set_updater(updater)
    made.push("w", [nd.ones((2,))] * 2)
    made.push(["4", "3"], [nd.ones((1,))] * 2)
    assert pulled(made, "w") == [5, 5]
    assert pulled(made, "3", (1,)) == [2]
    assert calls == ["w", "4", "3"]


def test_an_updater_that_raises_is_heard():
    made = store()

    def fail(key, pushed, stored):
        raise ZeroDivisionError(key)

    made._set_updater(fail)
    with pytest.raises(ZeroDivisionError, match="w"):
        made.push("w", nd.ones((2,)))


def test_local_store_properties():
    made = mx.kvstore.create("device")
    assert (made.type, made.rank, made.num_workers) == ("device", 0, 1)
    assert isinstance(made, KVStore)
    assert made.is_capable("Optimizer")
    assert made._barrier() is None
    with pytest.raises(ValueError, match="Unknown capability: compression"):
        made.is_capable("compression")


# What MXNet 1.9.1 pulls after each of four pushes of i + 1 times these from device i.
PUSHED = [0.1, 0.3, 0.5, 0.6, 1.2, -0.3, -0.5, -2.0, 0.49, 0.0]
MXNETS = {
    1: [
        [0.0, 0.0, 0.5, 0.5, 0.5, 0.0, -0.5, -0.5, 0.0, 0.0],
        [0.0, 0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5, 0.5, 0.0],
        [0.0, 0.0, 0.5, 0.5, 0.5, 0.0, -0.5, -0.5, 0.5, 0.0],
        [0.0, 0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5, 0.5, 0.0],
    ],
    2: [
        [0.0, 0.5, 1.0, 1.0, 1.0, -0.5, -1.0, -1.0, 0.5, 0.0],
        [0.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 0.0],
        [0.5, 0.5, 1.0, 1.0, 1.0, -0.5, -1.0, -1.0, 1.0, 0.0],
        [0.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 0.0],
    ],
}


@pytest.mark.parametrize("devices", MXNETS)
@pytest.mark.parametrize("kind", ["device", "local_allreduce_device"])
def test_gradients_in_two_bits(kind, devices):
    made = mx.kv.create(kind)
    made.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    made.init(3, nd.zeros(len(PUSHED)))
    for expected in MXNETS[devices]:
        made.push(3, [nd.array(PUSHED, mx.cpu(i)) * (i + 1) for i in range(devices)])
        assert pulled(made, 3, len(PUSHED)) == expected


def test_a_local_store_compresses_nothing():
    with pytest.raises(mx.MXNetError, match="'local' does not support compression"):
        mx.kv.create("local").set_gradient_compression({"type": "2bit"})


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda s: s.init("w", nd.ones((2,))), "'w' gets a second value"),
        (lambda s: s.init("new", [nd.ones((2,))] * 2), "'new' gets a second value"),
        (lambda s: s.broadcast("w", nd.ones((2,)), nd.ones((2,))), "'w' gets a second value"),
        (lambda s: s.push("x", nd.ones((2,))), "push: the key 'x' has no value"),
        (lambda s: s.pull("x", out=nd.ones((2,))), "pull: the key 'x' has no value"),
        (lambda s: s.init(3, nd.ones((2,))), "got the key 3 after 'w'"),
        (lambda s: s.push(3, nd.ones((2,))), "got the key 3 after 'w'"),
        (
            lambda s: s.push("w", [nd.ones((2,)), nd.ones((3,))]),
            r"got shape \(3,\) for the key 'w'; expected \(2,\)",
        ),
        (lambda s: s.pull("w", out=nd.ones((2, 1))), r"pull: got shape \(2, 1\)"),
        (
            lambda s: s.row_sparse_pull("w", out=nd.ones((2,)), row_ids=nd.array([1])),
            "key .w.: its value has storage type default; expected row_sparse",
        ),
    ],
)
def test_mistakes_are_named(use, message):
    made = store()
    with pytest.raises(mx.MXNetError, match=message):
        use(made)
    assert pulled(made, "w") == [1, 1]


def test_missing_arguments_raise():
    made = store()
    for use, message in (
        (lambda: made.pull("w"), "pass out="),
        (lambda: made.row_sparse_pull("w", row_ids=nd.array([1])), "pass out="),
        (lambda: made.row_sparse_pull("w", out=nd.ones((2,))), "pass row_ids="),
    ):
        with pytest.raises(AssertionError, match=message):
            use()


def test_errors_name_the_parameter_of_a_key():
    made = mx.kv.create("device")
    made.key_names = {0: "dense0_weight"}
    with pytest.raises(mx.MXNetError, match=r"the key 0 \('dense0_weight'\) has no value"):
        made.push(0, nd.ones((2,)))


def test_the_store_keeps_a_copy_of_the_first_value():
    value = nd.ones(2)
    store = mx.kv.create("local")
    store.init("w", value)
    value[:] = 7
    out = nd.zeros(2)
    store.pull("w", out=out)
    assert out.asnumpy().tolist() == [1, 1]
    store.push("w", nd.full(2, 3))
    assert value.asnumpy().tolist() == [7, 7]


def test_pushes_are_not_recorded():
    gradient = nd.ones(2)
    gradient.attach_grad()
    store = mx.kv.create("local")
    store.init("w", nd.zeros(2))
    store._set_updater(lambda key, pushed, stored: stored.__setitem__(slice(None), pushed * 2))
    out = nd.zeros(2)
    with mx.autograd.record():
        store.push("w", gradient * 1)
        store.pull("w", out=out)
        assert not mx.native.dispatch.tape.in_graph(store._arrays["w"])
    assert out.asnumpy().tolist() == [2, 2]
