"""`SVRGModule` against the results of MXNet 1.9.1."""

import numpy as np
import pytest

import opforge as mx
from opforge.contrib.svrg_optimization.svrg_module import SVRGModule

TWO = [mx.cpu(0), mx.cpu(1)]
SHAPES = {"fc1_weight": (4, 3), "fc1_bias": (4,), "fc2_weight": (1, 4), "fc2_bias": (1,)}
SGD = {"learning_rate": 0.1}
MOMENTUM = {"learning_rate": 0.05, "momentum": 0.9, "wd": 0.1}

#: Settings -> metric in each epoch, fc1_bias and fc2_weight of MXNet 1.9.1 after five epochs.
ORACLE = {
    "update_freq 2": (
        {},
        [1.149995, 1.020222, 0.847121, 0.612236, 0.372723],
        [-0.2754, 0.36528, -0.30552, 0.06389],
        [0.28509, -0.21214, -0.9918, -0.72269],
    ),
    "update_freq 1": (
        {"update_freq": 1},
        [1.149995, 1.012943, 0.816448, 0.566132, 0.316098],
        [-0.26876, 0.36111, -0.29305, 0.05626],
        [0.29868, -0.21822, -1.02793, -0.76055],
    ),
    "update_freq 3": (
        {"update_freq": 3},
        [1.149995, 1.020222, 0.852745, 0.644306, 0.402546],
        [-0.27838, 0.36702, -0.31178, 0.06912],
        [0.27355, -0.20505, -0.96727, -0.70146],
    ),
    "shuffled": (
        {"shuffle": True},
        [1.180224, 0.984678, 0.829884, 0.632346, 0.36267],
        [-0.275, 0.36088, -0.3147, 0.06739],
        [0.2547, -0.2166, -0.97128, -0.69676],
    ),
    "momentum": (
        {"settings": MOMENTUM},
        [1.151842, 0.93321, 0.514033, 0.079897, 0.024716],
        [-0.23074, 0.34067, -0.03615, -0.07657],
        [0.60632, -0.44988, -1.30461, -0.96017],
    ),
    "adam": (
        {"optimizer": "adam", "settings": {"learning_rate": 0.05}},
        [0.990514, 0.40684, 0.065064, 0.126974, 0.057899],
        [-0.36917, 0.44193, -0.01577, -0.38478],
        [0.57712, -0.66227, -1.03705, -0.94539],
    ),
    "two contexts": (
        {"context": TWO, "updates": "0"},
        [1.149995, 1.020222, 0.847121, 0.612236, 0.372723],
        [-0.2754, 0.36528, -0.30552, 0.06389],
        [0.28509, -0.21214, -0.9918, -0.72269],
    ),
    "two contexts, momentum": (
        {"context": TWO, "updates": "0", "settings": MOMENTUM},
        [1.151841, 0.93321, 0.514033, 0.079897, 0.024716],
        [-0.23074, 0.34067, -0.03615, -0.07657],
        [0.60632, -0.44988, -1.30461, -0.96017],
    ),
    # Without zeros, MXNet's result differs; see the test below.
    "two contexts, updates in the store": (
        {"context": TWO, "start": 0},
        [1.398493, 1.277281, 1.246837, 1.25036, 1.262694],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ),
}


def network():
    label = mx.sym.var("lin_reg_label")
    hidden = mx.sym.FullyConnected(mx.sym.var("data"), name="fc1", num_hidden=4)
    hidden = mx.sym.tanh(hidden)
    hidden = mx.sym.FullyConnected(hidden, name="fc2", num_hidden=1)
    return mx.sym.MakeLoss(0.5 * mx.sym.square(hidden - label.reshape((-1, 1))), name="loss")


def data(shuffle=False, batch_size=4):
    x_nc = np.random.RandomState(3).uniform(-1, 1, (22, 3)).astype("float32")
    y_n = x_nc.dot(np.array([1, 2, -1], "float32")) + 0.5
    np.random.seed(5)
    return mx.io.NDArrayIter(x_nc, y_n, batch_size, shuffle, label_name="lin_reg_label")


def params(start=1):
    random = np.random.RandomState(1)
    return {n: mx.nd.array(start * random.uniform(-0.5, 0.5, s)) for n, s in SHAPES.items()}


def mean_square(label, loss):
    return 2 * loss.mean()


def make(context=None, update_freq=2, **kwargs):
    return SVRGModule(
        network(), ["data"], ["lin_reg_label"], context=context, update_freq=update_freq, **kwargs
    )


def ready(module, kvstore="local", optimizer="sgd", settings=SGD, start=1):
    it = data()
    module.bind(it.provide_data, it.provide_label)
    module.init_params(arg_params=params(start), aux_params={})
    module.init_optimizer(kvstore, optimizer, settings)
    return module


def values(module):
    return {name: value.asnumpy().ravel() for name, value in module.get_params()[0].items()}


def expect_equal(found, expected):
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6)


def fitted(module, shuffle=False, start=1, optimizer="sgd", settings=SGD, **kwargs):
    """Train for five epochs; return the mean square error in each."""
    metric, found = mx.metric.CustomMetric(mean_square, "mse", allow_extra_outputs=True), []
    module.fit(
        data(shuffle),
        eval_metric=metric,
        epoch_end_callback=lambda *args: found.append(metric.get()[1]),
        optimizer=optimizer,
        optimizer_params=settings,
        arg_params=params(start),
        num_epoch=5,
        **kwargs,
    )
    return found


@pytest.mark.parametrize("case", ORACLE)
def test_trains_as_mxnet(case, monkeypatch):
    settings, errors, bias, weight = ORACLE[case]
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", settings.get("updates", "1"))
    given = {
        k: v for k, v in settings.items() if k in ("shuffle", "start", "optimizer", "settings")
    }
    own = {k: v for k, v in settings.items() if k in ("context", "update_freq")}
    module = make(**own)
    np.testing.assert_allclose(fitted(module, **given), errors, atol=1e-5)
    np.testing.assert_allclose(values(module)["fc1_bias"], bias, atol=3e-5)
    np.testing.assert_allclose(values(module)["fc2_weight"], weight, atol=3e-5)


@pytest.mark.parametrize("context", [None, TWO])
@pytest.mark.parametrize("kvstore", ["local", "device", None, "own"])
def test_contexts_and_stores_train_alike(kvstore, context):
    """MXNet overwrites the devices' initial parameters with zeros if a store updates them."""
    store = mx.kv.create("local") if kvstore == "own" else kvstore
    found = fitted(make(context), kvstore=store)
    np.testing.assert_allclose(found, ORACLE["update_freq 2"][1], atol=1e-5)


def test_a_loop_of_the_program_trains_as_fit():
    fit, module, it = make(), ready(make()), data()
    fitted(fit)
    for epoch in range(5):
        if epoch % module.update_freq == 0:
            module.update_full_grads(it)
        it.reset()
        for batch in it:
            module.forward_backward(batch)
            module.update()
    expect_equal(values(module), values(fit))


def test_an_optimizer_object_trains_as_its_name():
    named, given = make(), make()
    sgd = mx.optimizer.SGD(learning_rate=0.1, rescale_grad=0.25)
    assert fitted(given, optimizer=sgd) == fitted(named)
    with pytest.warns(UserWarning, match="rescale_grad"):
        ready(make(), optimizer=mx.optimizer.SGD())


def test_fixed_parameters_keep_their_values():
    module = make(fixed_param_names=["fc1_bias"])
    fitted(module)
    np.testing.assert_array_equal(values(module)["fc1_bias"], params()["fc1_bias"].asnumpy())


def test_full_gradients_are_the_mean_of_all_samples():
    """The mean of whole batches; the samples that fill the last one are not counted as a part."""
    module, plain = ready(make()), mx.mod.Module(network(), ["data"], ["lin_reg_label"])
    module.update_full_grads(data())
    plain.bind([("data", (4, 3))], [("lin_reg_label", (4,))])
    plain.set_params(params(), {})
    total = 0
    for batch in data():
        plain.forward_backward(batch)
        total = total + plain._exec_group.grad_arrays[0][0].asnumpy()
    name = plain._exec_group.param_names[0]
    found = module._param_dict[0][name].asnumpy()
    np.testing.assert_allclose(found, total / (6 - 2 / 4), rtol=1e-5)


def test_updates_before_the_first_full_gradients_use_those_of_the_batch():
    module, plain = ready(make()), mx.mod.Module(network(), ["data"], ["lin_reg_label"])
    ready(plain)
    for batch in data():
        for one in (module, plain):
            one.forward(batch)
            one.backward()
            one.update()
    expect_equal(values(module), values(plain))


def test_the_second_module_follows_shapes_and_predictions_skip_it():
    module = ready(make())
    module.update_full_grads(data())
    module.reshape([("data", (2, 3))], [("lin_reg_label", (2,))])
    assert module._mod_aux.data_shapes[0].shape == (2, 3)
    before = module._mod_aux.get_outputs()[0].asnumpy()
    batch = mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones((2,))])
    module.forward(batch, is_train=False)
    np.testing.assert_array_equal(module._mod_aux.get_outputs()[0].asnumpy(), before)
    module.forward(batch)
    np.testing.assert_array_equal(
        module._mod_aux.get_outputs()[0].asnumpy(), module.get_outputs()[0].asnumpy()
    )


def test_a_module_for_predictions_binds_no_second_one():
    module = make()
    module.bind([("data", (4, 3))], [("lin_reg_label", (4,))], for_training=False)
    assert not module._mod_aux.binded
    module.reshape([("data", (2, 3))], [("lin_reg_label", (2,))])


@pytest.mark.parametrize("context", [None, TWO])
def test_saved_states_continue(context, tmp_path):
    first, second = make(context), make(context)
    fitted(first, settings=MOMENTUM)
    first.save_optimizer_states(str(tmp_path / "states"))
    ready(second, settings=MOMENTUM)
    second.set_params(*first.get_params())
    second.load_optimizer_states(str(tmp_path / "states"))
    second._param_dict = [{n: a.copy() for n, a in d.items()} for d in first._param_dict]
    for module in (first, second):
        module.update_full_grads(data())
        for batch in data():
            module.forward_backward(batch)
            module.update()
    expect_equal(values(second), values(first))


def test_row_sparse_parameters_train():
    x = mx.sym.var("data", stype="csr")
    v = mx.sym.var("v", shape=(6, 1), stype="row_sparse")
    loss = mx.sym.MakeLoss(mx.sym.square(mx.sym.dot(x, v) - mx.sym.var("y")), name="loss")
    module = SVRGModule(loss, ["data"], ["y"], update_freq=1)
    x_nc = mx.nd.sparse.csr_matrix(mx.nd.array(np.arange(48).reshape(8, 6) % 5))
    it = mx.io.NDArrayIter({"data": x_nc}, {"y": mx.nd.ones((8, 1))}, 4, False, "discard")
    start = {"v": mx.nd.zeros((6, 1)).tostype("row_sparse")}
    module.fit(it, eval_metric="loss", arg_params=start, num_epoch=2)
    assert np.all(module.get_params()[0]["v"].asnumpy() != 0)


@pytest.mark.parametrize(("wrong", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_the_frequency_is_a_positive_integer(wrong, error):
    with pytest.raises(error, match=f"integer, got {wrong}"):
        make(update_freq=wrong)
    with pytest.raises(TypeError, match="integer, got None"):
        SVRGModule(network(), ["data"], ["lin_reg_label"])


def test_data_without_batches():
    class Empty(mx.io.DataIter):
        def next(self):
            raise StopIteration

    with pytest.raises(ValueError, match="update_full_grads: Empty has no batches"):
        ready(make()).update_full_grads(Empty())
    with pytest.raises(AssertionError, match="call init_optimizer first"):
        make().update_full_grads(data())


def test_a_second_optimizer_is_ignored_as_in_module(caplog):
    module = ready(make())
    module.update_full_grads(data())
    held = module._param_dict
    module.init_optimizer()
    assert module._param_dict is held
    module.init_optimizer(force_init=True)
    assert module._param_dict is not held
    assert "already initialized" in caplog.text
