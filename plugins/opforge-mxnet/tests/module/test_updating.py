import pickle

import numpy as np
import pytest

import opforge as mx


def batch():
    return mx.io.DataBatch([mx.nd.ones((4, 2))], [mx.nd.zeros((4,))])


def biases(module):
    return module.get_params()[0]["fc_bias"].asnumpy()


def test_gradients_are_divided_by_the_batch_size(make_module):
    module = make_module()
    module.init_optimizer(optimizer_params={"learning_rate": 3.0})
    module.forward_backward(batch())
    module.update()
    np.testing.assert_allclose(biases(module), [2, -1, -1], rtol=1e-6)
    module = make_module()
    module.init_optimizer(optimizer_params={"learning_rate": 3.0, "rescale_grad": 0.5})
    module.forward_backward(batch())
    module.update()
    np.testing.assert_allclose(biases(module), [4, -2, -2], rtol=1e-6)


def test_names_and_marks_reach_the_optimizer(net):
    module = mx.mod.Module(
        net(
            weight=mx.sym.var("fc_weight", lr_mult=0.5),
            bias=mx.sym.var("fc_bias", lr_mult=2),
        )
    )
    module.bind([("data", (4, 2))], [("softmax_label", (4,))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 3.0, "wd": 0.1})
    optimizer = module._optimizer
    assert optimizer.idx2name == {0: "fc_weight", 1: "fc_bias"}
    assert optimizer.lr_mult == {"fc_weight": 0.5, "fc_bias": 2.0}
    assert optimizer.wd_mult == {"fc_bias": 0.0}
    module.forward_backward(batch())
    module.update()
    np.testing.assert_allclose(biases(module), [4, -2, -2], rtol=1e-6)
    weight_oi = module.get_params()[0]["fc_weight"].asnumpy()
    expected_o = 1 + 1.5 * (np.array([2, -1, -1]) / 3 - 0.1)
    np.testing.assert_allclose(weight_oi, np.stack([expected_o] * 2, 1), rtol=1e-6)


def test_all_parameters_are_updated_in_one_call(make_module):
    module, calls = make_module(), []

    class Watched(mx.optimizer.SGD):
        def update_weights(self, indices, weights, grads, states):
            calls.append(indices)
            super().update_weights(indices, weights, grads, states)

    module.init_optimizer(optimizer=Watched(learning_rate=1, rescale_grad=0.25))
    module.forward_backward(batch())
    module.update()
    assert calls == [[0, 1]]


def test_fixed_parameters_stay(make_module):
    module = make_module(fixed_param_names=["fc_weight"])
    module.init_optimizer(optimizer_params={"learning_rate": 3.0, "wd": 0.5})
    module.forward_backward(batch())
    module.update()
    np.testing.assert_allclose(biases(module), [2, -1, -1], rtol=1e-6)
    assert module.get_params()[0]["fc_weight"].asnumpy().tolist() == [[1, 1]] * 3


def test_a_module_without_parameters_has_nothing_to_update():
    module = mx.mod.Module(mx.sym.exp(mx.sym.var("data")), label_names=None)
    module.bind([("data", (1, 2))])
    module.init_params()
    module.init_optimizer()
    module.update()
    assert module.get_params() == ({}, {})


def test_order_of_steps(net, make_module, caplog):
    module = mx.mod.Module(net())
    with pytest.raises(AssertionError, match="call bind first"):
        module.init_optimizer()
    module = make_module()
    with pytest.raises(AssertionError, match="call init_optimizer first"):
        module.update()
    module.init_optimizer()
    first = module._optimizer
    module.init_optimizer()
    assert caplog.messages == ["optimizer already initialized, ignoring..."]
    assert module._optimizer is first
    module.init_optimizer(force_init=True)
    assert module._optimizer is not first


def test_a_ready_optimizer(make_module):
    module = make_module()
    ready = mx.optimizer.SGD(rescale_grad=0.25)
    module.init_optimizer(optimizer=ready)
    assert module._optimizer is ready
    assert ready.idx2name == {0: "fc_weight", 1: "fc_bias"}
    with pytest.warns(UserWarning, match=r"rescale_grad is not normalized .*1\.0 vs\. 0\.25"):
        module.init_optimizer(optimizer=mx.optimizer.SGD(), force_init=True)


def test_invalid_optimizer_arguments_raise(make_module):
    module = make_module()
    with pytest.raises(TypeError, match="kvstore must be a name, a KVStoreBase or None; got int"):
        module.init_optimizer(kvstore=3)
    with pytest.raises(ValueError, match="kvstore='byteps'; expected 'local'"):
        module.init_optimizer(kvstore="byteps")
    with pytest.raises(ValueError, match="Cannot find optimizer foo"):
        module.init_optimizer(optimizer="foo")
    with pytest.raises(TypeError, match="must be a str or an Optimizer, got int"):
        module.init_optimizer(optimizer=3)
    for kvstore in (None, "device"):
        module.init_optimizer(kvstore=kvstore, force_init=True)


def test_states_go_to_a_file_and_back(make_module, tmp_path):
    path = str(tmp_path / "sgd.states")
    module = make_module()
    with pytest.raises(AssertionError, match="call init_optimizer first"):
        module.save_optimizer_states(path)
    settings = {"learning_rate": 0.1, "momentum": 0.9}
    module.init_optimizer(optimizer_params=settings)
    module.forward_backward(batch())
    module.update()
    module.save_optimizer_states(path)
    other = make_module()
    other.init_optimizer(optimizer_params=settings)
    other.load_optimizer_states(path)
    assert set(other._updater.states) == {0, 1}
    module.save_optimizer_states(path, pickled=True)
    other.load_optimizer_states(path)
    np.testing.assert_array_equal(
        other._updater.states[1].asnumpy(), module._updater.states[1].asnumpy()
    )


@pytest.mark.parametrize("context", [None, [mx.cpu(0), mx.cpu(1)]], ids=["alone", "store"])
@pytest.mark.parametrize("value", [3, {0: "text"}, {"other": None}, {"fc_bias": 1, 1: 1}, len])
def test_a_file_without_states_changes_nothing(value, context, make_module, tmp_path):
    path = tmp_path / "states"
    path.write_bytes(pickle.dumps(value))
    module = make_module(context=context)
    module.init_optimizer(optimizer_params={"momentum": 0.9})
    module.forward_backward(batch())
    module.update()
    updater = module._updater or module._kvstore._updater
    states = updater.states
    with pytest.raises(mx.base.MXNetError, match=r"saved state|expected optimizer states"):
        module.load_optimizer_states(str(path))
    assert updater.states is states and len(states) == 2


def sparse_module(kvstore, context=None, rate=0.5):
    """Return a module that multiplies csr data by a row-sparse table of ones."""
    table = mx.sym.var("table", stype="row_sparse", shape=(5, 2), init=mx.init.One())
    product = mx.sym.dot(mx.sym.var("data", stype="csr"), table)
    module = mx.mod.Module(mx.sym.MakeLoss(product), label_names=[], context=context)
    module.bind([("data", (2, 5))])
    module.init_params()
    settings = {"learning_rate": rate, "rescale_grad": 1.0}
    module.init_optimizer(kvstore=kvstore, optimizer_params=settings)
    return module


def csr_batch(*columns):
    return mx.io.DataBatch([mx.nd.array(np.eye(5)[list(columns)]).tostype("csr")], [])


def rows_of(data_batch):
    return {"table": data_batch.data[0].indices}


@pytest.mark.plugins
@pytest.mark.parametrize("context", [None, [mx.cpu(0), mx.cpu(1)]])
@pytest.mark.parametrize("updates_in_store", [False, True])
@pytest.mark.filterwarnings("ignore:Parameters are not updated in the KVStore")
def test_csr_data_train_a_row_sparse_table(updates_in_store, context):
    module = sparse_module(mx.kv.create("local") if updates_in_store else "local", context)
    for columns in ((1, 3), (3, 4)):
        data_batch = csr_batch(*columns)
        module.prepare(data_batch, rows_of)
        module.forward_backward(data_batch)
        module.update()
    table = module.get_params()[0]["table"]
    assert table.stype == "row_sparse"
    assert table.asnumpy()[:, 0].tolist() == [1, 0.5, 1, 0, 0.5]


@pytest.mark.plugins
def test_a_batch_has_the_rows_that_it_names():
    module = sparse_module(mx.kv.create("local"))
    module.prepare(csr_batch(1, 3), rows_of)
    (copy,) = module._binding.param_arrays[0]
    assert copy.indices.asnumpy().tolist() == [1, 3]
    assert module.get_params()[0]["table"].asnumpy().tolist() == np.ones((5, 2)).tolist()
    with pytest.raises(TypeError, match="sparse_row_id_fn returned list, expected a dict"):
        module.prepare(csr_batch(1, 3), lambda data_batch: [1])
    with pytest.raises(KeyError, match="names 'chair', which is no parameter; they are table"):
        module.prepare(csr_batch(1, 3), lambda data_batch: {"chair": mx.nd.ones(1)})
    with pytest.warns(UserWarning, match="No need to call sparse_row_id_fn"):
        sparse_module("local").prepare(csr_batch(1, 3), rows_of)


def test_rows_of_a_dense_parameter_are_warned_of(make_module):
    module = make_module()
    module.init_optimizer(kvstore=mx.kv.create("local"))
    with pytest.warns(UserWarning, match="fc_bias.stype is not 'row_sparse'"):
        module.prepare(batch(), lambda data_batch: {"fc_bias": mx.nd.zeros(1)})
