import logging
from collections import namedtuple

import numpy as np
import pytest

import opforge as mx
from opforge.base.errors import ContextError


def batch(values=((1, 2), (3, 4), (5, 6), (7, 8)), label=(0, 1, 2, 0)):
    return mx.io.DataBatch([mx.nd.array(values)], [mx.nd.array(label)])


def test_names(net):
    module = mx.mod.Module(net())
    assert mx.mod is mx.module
    assert (module.data_names, module.label_names) == (["data"], ["softmax_label"])
    assert module.output_names == ["softmax_output"]
    assert module.symbol.list_arguments() == ["data", "fc_weight", "fc_bias", "softmax_label"]
    assert not (module.binded or module.params_initialized or module.optimizer_initialized)
    assert module._data_shapes is None and module._label_shapes is None  # `bind` accepts these


def test_names_must_be_the_symbols(net):
    for kind in ("data", "state", "fixed_param"):
        with pytest.raises(ValueError, match=f"{kind}_names=\\['x'\\]"):
            mx.mod.Module(net(), **{f"{kind}_names": ["x"]})
    with pytest.warns(UserWarning, match="label_names"):
        mx.mod.Module(net(), label_names=["x"])


def test_shapes_need_binding(net):
    module = mx.mod.Module(net())
    for use in (
        lambda: module.data_shapes,
        lambda: module.label_shapes,
        lambda: module.output_shapes,
        lambda: module.forward(batch()),
        lambda: module.reshape([("data", (1, 2))]),
    ):
        with pytest.raises(AssertionError, match="call bind first"):
            use()


def test_bind(net, caplog):
    module = mx.mod.Module(net())
    with pytest.warns(UserWarning, match="don't match names specified by label_names"):
        module.bind([("data", (4, 2))])
    assert module.data_shapes == [("data", (4, 2))]
    assert module.label_shapes is None and module._label_shapes is None
    assert module._data_shapes == module.data_shapes
    assert module.output_shapes == [("softmax_output", (4, 3))]
    module.bind([("data", (9, 2))], [("softmax_label", (9,))])
    assert caplog.messages == ["Already bound, ignoring bind()"]
    module.bind([("data", (9, 2))], [("softmax_label", (9,))], force_rebind=True)
    assert module.output_shapes == [("softmax_output", (9, 3))]


def test_bind_rejects_invalid_arguments(net):
    with pytest.raises(ValueError, match="don't match names specified by data_names"):
        mx.mod.Module(net()).bind([("x", (4, 2))], [("softmax_label", (4,))])
    with pytest.raises(AssertionError, match="same batch size"):
        mx.mod.Module(net()).bind([("data", (4, 2))], [("softmax_label", (5,))])
    with pytest.raises(AssertionError, match="inputs_need_grad=True needs for_training"):
        mx.mod.Module(net()).bind([], for_training=False, inputs_need_grad=True)


def test_rebinding_keeps_parameter_values(make_module):
    module = make_module()
    module.bind([("data", (1, 2))], [("softmax_label", (1,))], True, force_rebind=True)
    assert module.get_params()[0]["fc_weight"].asnumpy().tolist() == [[1, 1]] * 3


def test_contexts_must_be_such(net):
    assert mx.mod.Module(net(), context=[mx.cpu()]).data_names == ["data"]
    for wrong in ([], ["cpu"]):
        with pytest.raises(ContextError, match="at least one, got"):
            mx.mod.Module(net(), context=wrong)


def test_outputs_and_gradients(net):
    module = mx.mod.Module(net())
    module.bind([("data", (4, 2))], [("softmax_label", (4,))], inputs_need_grad=True)
    weight_oi = np.array([[1, 0], [0, 1], [0, 0]])
    module.init_params(arg_params={"fc_weight": mx.nd.array(weight_oi), "fc_bias": mx.nd.zeros(3)})
    module.forward_backward(batch())
    (y_no,) = module.get_outputs()
    x_ni = batch().data[0].asnumpy()
    exp_no = np.exp(x_ni @ weight_oi.T)
    expected_no = exp_no / exp_no.sum(1, keepdims=True)
    np.testing.assert_allclose(y_no.asnumpy(), expected_no, rtol=1e-5)
    dy_no = expected_no - np.eye(3)[[0, 1, 2, 0]]
    (dx_ni,) = module.get_input_grads()
    np.testing.assert_allclose(dx_ni.asnumpy(), dy_no @ weight_oi, rtol=1e-4, atol=1e-6)
    assert module.get_outputs(merge_multi_context=False)[0][0].shape == (4, 3)
    assert module.get_input_grads(merge_multi_context=False)[0][0].shape == (4, 2)


def test_gradients_of_outputs_that_are_no_loss():
    module = mx.mod.Module(mx.sym.var("data") * mx.sym.var("w"), label_names=None)
    module.bind([("data", (2, 1))], inputs_need_grad=True)
    module.init_params(arg_params={"w": mx.nd.array([[2], [3]])})
    module.forward(mx.io.DataBatch([mx.nd.ones((2, 1))]))
    module.backward([mx.nd.array([[10], [100]])])
    assert module.get_input_grads()[0].asnumpy().tolist() == [[20], [300]]


def test_gradients_can_be_added_up(make_module, net):
    module = mx.mod.Module(net())
    module.bind([("data", (4, 2))], [("softmax_label", (4,))], grad_req="add")
    module.init_params(mx.init.One())
    module.forward_backward(batch())
    once = module._exec_group.execs[0].grad_dict["fc_bias"].asnumpy().copy()
    module.forward_backward(batch())
    twice = module._exec_group.execs[0].grad_dict["fc_bias"].asnumpy()
    np.testing.assert_allclose(twice, 2 * once, rtol=1e-6)


def test_backward_after_binding_for_prediction_is_rejected(net):
    module = mx.mod.Module(net())
    module.bind([("data", (4, 2))], [("softmax_label", (4,))], for_training=False)
    module.init_params()
    module.forward(batch())
    with pytest.raises(AssertionError, match="re-bind with for_training=True to run backward"):
        module.backward()
    with pytest.raises(AssertionError, match="inputs_need_grad=True"):
        module.get_input_grads()


def test_forward_takes_anything_with_data(make_module):
    module = make_module()
    Batch = namedtuple("Batch", "data")
    module.forward(Batch([mx.nd.ones((4, 2))]), is_train=False)
    assert module.get_outputs()[0].shape == (4, 3)


def test_forward_takes_the_shapes_that_a_batch_names(make_module):
    module = make_module()
    other = batch()
    other.provide_data = [mx.io.DataDesc("data", (4, 2))]
    other.data[0] = mx.nd.ones((6, 2))
    other.label[0] = mx.nd.ones((6,))
    other.provide_data = [("data", (6, 2))]
    other.provide_label = [("softmax_label", (6,))]
    module.forward(other)
    assert module.label_shapes == [("softmax_label", (6,))]


def test_reshape(make_module):
    module = make_module()
    module.reshape([("data", (5, 2))], [("softmax_label", (5,))])
    assert module.output_shapes == [("softmax_output", (5, 3))]


def test_metric(make_module):
    module = make_module()
    module.forward(batch(), is_train=False)
    accuracy = mx.metric.create("acc")
    module.update_metric(accuracy, batch().label)
    module.update_metric(accuracy, [batch(label=(1, 1, 1, 1)).label], pre_sliced=True)
    assert accuracy.get() == ("accuracy", 0.25)  # all units are equal: always class 0


def test_checkpoint(make_module, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    module, prefix = make_module(), str(tmp_path / "net")
    module.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.5})
    module.forward_backward(batch())
    module.update()
    module.save_checkpoint(prefix, 2, save_optimizer_states=True)
    assert caplog.messages == [
        f'Saved checkpoint to "{prefix}-0002.params"',
        f'Saved optimizer state to "{prefix}-0002.states"',
    ]
    again = mx.mod.Module.load(prefix, 2, load_optimizer_states=True)
    values = module.get_params()[0]
    assert (
        again.get_params()[0]["fc_bias"].asnumpy().tolist() == values["fc_bias"].asnumpy().tolist()
    )
    again.bind([("data", (4, 2))], [("softmax_label", (4,))])
    again.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.5})
    for one in (module, again):
        one.forward_backward(batch())
        one.update()
    for name, value in module.get_params()[0].items():
        np.testing.assert_array_equal(again.get_params()[0][name].asnumpy(), value.asnumpy())
