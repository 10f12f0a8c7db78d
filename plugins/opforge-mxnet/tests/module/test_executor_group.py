"""A module of several devices computes what that of one does."""

import numpy as np
import pytest

import opforge as mx
from opforge.base.errors import OpforgeError
from opforge.module.executor_group import DataParallelExecutorGroup

DEVICES = [mx.cpu(0), mx.cpu(1), mx.cpu(2)]


def batch(n=7, seed=0):
    values = np.random.default_rng(seed)
    return mx.io.DataBatch([mx.nd.array(values.normal(size=(n, 2)))], [mx.nd.arange(n) % 3])


@pytest.fixture
def module_on(net):
    def make(context, n=7, **settings):
        module = mx.mod.Module(net(), context=context, **settings)
        module.bind(
            [("data", (n, 2))], [("softmax_label", (n,))], inputs_need_grad=True, grad_req="write"
        )
        weight = mx.nd.array([[1, -1], [0, 2], [0.5, 0]])
        module.init_params(arg_params={"fc_weight": weight, "fc_bias": mx.nd.zeros((3,))})
        return module

    return make


@pytest.mark.parametrize("workload", [None, [1, 2, 4]])
def test_training_on_several_devices_is_that_on_one(module_on, workload):
    found = []
    for module in (module_on(mx.cpu()), module_on(DEVICES, work_load_list=workload)):
        module.init_optimizer(optimizer_params={"learning_rate": 0.5, "momentum": 0.9})
        accuracy = mx.metric.create("acc")
        for n in (7, 7, 5, 9):
            data = batch(n, seed=n)
            module.forward_backward(data)
            module.update()
            module.update_metric(accuracy, data.label)
        values = [a.asnumpy() for a in module.get_params()[0].values()]
        outputs, grads = module.get_outputs(), module.get_input_grads()
        found.append([*values, outputs[0].asnumpy(), grads[0].asnumpy(), accuracy.get()[1]])
        assert module.output_shapes == [("softmax_output", (9, 3))]
    for one, several in zip(*found, strict=True):
        np.testing.assert_allclose(several, one, rtol=1e-5, atol=1e-6)


def test_each_device_has_its_samples_and_its_copy(module_on):
    module = module_on(DEVICES[:2])
    module.forward(batch(7))
    (parts,) = module.get_outputs(merge_multi_context=False)
    assert [part.shape for part in parts] == [(4, 3), (3, 3)]
    assert [part.context for part in parts] == DEVICES[:2]
    group = module._exec_group
    assert group.slices == [slice(0, 4), slice(4, 7)]
    (weights, _) = group.param_arrays
    assert [array.context for array in weights] == DEVICES[:2]
    assert not np.shares_memory(weights[0].asnumpy(), weights[1].asnumpy())
    assert sorted(group.shared_data_arrays[1]) == ["data", "softmax_label"]


def test_the_axis_of_the_samples_is_that_of_the_layout():
    net = mx.sym.identity(mx.sym.var("data"), __layout__="TNC")
    module = mx.mod.Module(net, label_names=None, context=DEVICES[:2])
    module.bind([mx.io.DataDesc("data", (3, 8, 7), layout="TNC")], inputs_need_grad=True)
    module.init_params()
    module.forward(mx.io.DataBatch([mx.nd.ones((3, 8, 7))]))
    for head in (mx.nd.ones((3, 8, 7)), [mx.nd.ones((3, 8, 7))]):
        module.backward(head)
    assert [part.shape for part in module.get_outputs(False)[0]] == [(3, 4, 7)] * 2
    assert [part.shape for part in module.get_input_grads(False)[0]] == [(3, 4, 7)] * 2
    assert module.get_input_grads()[0].asnumpy().tolist() == np.ones((3, 8, 7)).tolist()


def test_groups_say_where_arrays_are():
    with mx.AttrScope(ctx_group="first"):
        a = mx.sym.var("a") * 2
    with mx.AttrScope(ctx_group="second"):
        net = a + mx.sym.var("b")
    places = {"first": mx.cpu(3), "second": [mx.cpu(4), mx.cpu(5)]}
    module = mx.mod.Module(net, ["a", "b"], None, context=DEVICES[:2], group2ctxs=places)
    module.bind([("a", (2, 1)), ("b", (2, 1))], inputs_need_grad=True)
    module.init_params()
    module.forward(mx.io.DataBatch([mx.nd.ones((2, 1))] * 2))
    module.backward(mx.nd.ones((2, 1)))
    found = [[grad.context for grad in grads] for grads in module.get_input_grads(False)]
    assert found == [[mx.cpu(3), mx.cpu(3)], [mx.cpu(4), mx.cpu(5)]]
    assert [grad.asnumpy().sum() for grad in module.get_input_grads()] == [4, 2]


def test_mismatched_loads_and_batches_are_rejected(module_on, net):
    with pytest.raises(ValueError, match="work_load_list has 1 entries, expected one for each"):
        mx.mod.Module(net(), context=DEVICES, work_load_list=[1])
    with pytest.raises(ValueError, match="device 2 of 3 gets no sample of a batch of 2"):
        module_on(DEVICES, n=2)
    module = module_on(DEVICES)
    with pytest.raises(AssertionError, match="exactly one of states and value"):
        module.set_states()


def test_buckets_are_divided_too():
    def generate(length):
        steps = mx.sym.sum(mx.sym.var("data"), axis=1, keepdims=True)
        return mx.sym.FullyConnected(steps, num_hidden=1, name="fc"), ("data",), None

    module = mx.mod.BucketingModule(generate, 4, context=DEVICES[:2], work_load_list=[1, 2])
    module.bind([("data", (3, 4))])
    module.init_params(mx.init.One())
    for length in (4, 2, 4):
        shape = (3, length)
        one = mx.io.DataBatch(
            [mx.nd.ones(shape)], bucket_key=length, provide_data=[("data", shape)]
        )
        module.forward(one)
        assert module.get_outputs()[0].asnumpy().tolist() == [[length]] * 3
        assert [a.shape[0] for a in module.get_outputs(False)[0]] == [1, 2]


def test_batches_are_divided_again_under_the_names_of_mxnet():
    group = DataParallelExecutorGroup(
        mx.sym.var("data") * 2, DEVICES[:2], None, [("data", (3, 1))], None, [], False, False
    )
    assert group._total_exec_bytes == group.nbytes > 0
    shapes = [mx.io.DataDesc("data", (5, 1)), mx.io.DataDesc("turned", (2, 5), layout="TN")]
    assert group.decide_slices(shapes) == [0, 1]
    assert (group.batch_size, group.slices) == (5, [slice(0, 2), slice(2, 5)])
    group.bind_exec(shapes[:1], None, reshape=True)
    assert [one.arg_dict["data"].shape for one in group.execs] == [(2, 1), (3, 1)]
    with pytest.raises(AssertionError, match="pass reshape=True"):
        group.bind_exec(shapes[:1], None)
    with pytest.raises(AssertionError, match="same batch size"):
        group.decide_slices([shapes[0], mx.io.DataDesc("other", (4, 1))])


def test_backward_needs_training():
    group = DataParallelExecutorGroup(
        mx.sym.exp(mx.sym.var("x")), [mx.cpu()], None, [("x", (1,))], None, [], False, False
    )
    with pytest.raises(AssertionError, match="for_training=True"):
        group.backward()
    with pytest.raises(AssertionError, match="inputs_need_grad=True"):
        group.get_input_grads()
    trained = DataParallelExecutorGroup(
        mx.sym.exp(mx.sym.var("x")), DEVICES[:1], [1], [("x", (1,))], None, [], True, True
    )
    trained.forward(mx.io.DataBatch([mx.nd.ones((1,))]))
    with pytest.raises(OpforgeError, match="its gradient is needed"):
        trained.backward()
