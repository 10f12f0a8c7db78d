"""Modules with key-value stores, on several contexts and with several workers."""

import numpy as np
import pytest

import opforge as mx

TWO = [mx.cpu(0), mx.cpu(1)]
SETTINGS = {"learning_rate": 0.5, "momentum": 0.9, "wd": 0.1}


@pytest.fixture(autouse=True)
def _usual_environment(monkeypatch):
    monkeypatch.delenv("MXNET_UPDATE_ON_KVSTORE", raising=False)


def batch():
    data = mx.nd.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0], [2.0, 2.0]])
    return mx.io.DataBatch([data], [mx.nd.array([0, 1, 2, 1])])


@pytest.fixture
def make(net):
    """Return a maker of modules with an optimizer; factors of one weight are its own."""

    def make(context, kvstore="device", **kwargs):
        symbol = net(
            weight=mx.sym.var("fc_weight", lr_mult=0.5), bias=mx.sym.var("fc_bias", lr_mult=2)
        )
        module = mx.mod.Module(symbol, context=context, **kwargs)
        module.bind([("data", (4, 2))], [("softmax_label", (4,))])
        module.init_params(mx.init.One())
        module.init_optimizer(kvstore, "sgd", SETTINGS)
        return module

    return make


def train(module, steps=3):
    for _ in range(steps):
        module.forward_backward(batch())
        module.update()
    return {name: value.asnumpy() for name, value in module.get_params()[0].items()}


def expect_equal(found, expected):
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5)


@pytest.mark.parametrize("kvstore", [None, "local", "device", "own"])
@pytest.mark.parametrize("updates", ["1", "0"])
def test_two_contexts_train_as_one(make, kvstore, updates, monkeypatch):
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", updates)
    expected = train(make(None))
    module = make(TWO, mx.kv.create("device") if kvstore == "own" else kvstore)
    expect_equal(train(module), expected)
    assert module._update_on_kvstore is (kvstore is not None and updates == "1")
    assert (module._kvstore is None) is (kvstore is None)
    for first, second in module._exec_group.param_arrays:
        assert first.asnumpy().tolist() == second.asnumpy().tolist()


def test_one_context_needs_no_store(make):
    assert make(mx.cpu(1), "local")._kvstore is None


def test_states_go_to_a_file_and_back(make, tmp_path):
    path = str(tmp_path / "states")
    module = make(TWO)
    train(module, 1)
    module.save_optimizer_states(path)
    values = module.get_params()
    other = make(TWO)
    other.load_optimizer_states(path)
    other.set_params(*values)
    expect_equal(train(other, 2), train(module, 2))


@pytest.mark.parametrize("missing", [True, False])
def test_values_that_are_set_are_trained_on(make, missing):
    module = make(TWO)
    train(module, 1)
    module.set_params(*make(None).get_params(), allow_missing=missing)
    module._kvstore._updater.states.clear()
    expect_equal(train(module, 1), train(make(None), 1))


def test_a_module_that_borrows_the_optimizer_uses_its_store(make):
    module = make(TWO)
    other = mx.mod.Module(module.symbol, context=TWO)
    other.bind([("data", (4, 2))], [("softmax_label", (4,))], shared_module=module)
    train(other)
    assert other._kvstore is module._kvstore
    expect_equal(train(module, 0), train(make(None)))


def test_compression(make):
    params = {"type": "2bit", "threshold": 0.5}
    module = make(TWO, compression_params=params)
    module.forward_backward(batch())
    pushed = {}
    module._kvstore._set_updater(lambda key, total, stored: pushed.update({key: total.asnumpy()}))
    module.update()
    for total in pushed.values():
        assert set(np.unique(total)) <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert sorted(pushed) == ["fc_bias", "fc_weight"]
    assert any(total.any() for total in pushed.values())
    with pytest.raises(mx.MXNetError, match="'local' does not support compression"):
        make(TWO, "local", compression_params=params)
