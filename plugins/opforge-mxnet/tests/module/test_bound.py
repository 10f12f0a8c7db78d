from collections import namedtuple

import numpy as np
import pytest

import opforge as mx
from opforge.base.errors import ShapeError


def batch(n, label=True, features=2):
    labels = [mx.nd.zeros((n,))] if label else None
    return mx.io.DataBatch([mx.nd.ones((n, features))], labels)


def test_shapes_change_from_batch_to_batch(make_module):
    module = make_module()
    weights = module._exec_group.execs[0].arg_dict["fc_weight"]
    for n in (4, 7, 4, 3, 7):
        module.forward(batch(n))
        assert module.get_outputs()[0].shape == (n, 3)
        assert module.data_shapes == [("data", (n, 2))]
        assert module.label_shapes == [("softmax_label", (n,))]
        assert module.output_shapes == [("softmax_output", (n, 3))]
        assert module._exec_group.execs[0].arg_dict["fc_weight"] is weights


def test_executors_of_the_last_two_shapes_are_kept(make_module):
    module = make_module()
    executors = []
    for n in (4, 7, 4, 7):
        module.forward(batch(n))
        executors.append(module._exec_group.execs[0])
    assert executors[0] is executors[2] and executors[1] is executors[3]


def test_labels_may_be_missing(make_module):
    module = make_module()
    module.forward(batch(6, label=False), is_train=False)
    assert module.get_outputs()[0].shape == (6, 3)
    assert module.label_shapes is None
    module.forward(batch(4))
    assert module.label_shapes == [("softmax_label", (4,))]


def test_a_namedtuple_without_labels_at_a_new_shape(make_module):
    Batch = namedtuple("Batch", ["data"])
    module = make_module()
    for n in (6, 4, 6):
        module.forward(Batch([mx.nd.ones((n, 2))]), is_train=False)
        assert module.get_outputs()[0].shape == (n, 3)


def test_many_shapes_keep_few_executors(make_module, monkeypatch):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    module = make_module()
    for n in range(1, 200):
        module.forward(batch(n), is_train=True)
        module.backward()
    assert len(module._exec_group._parts[0]._kept) < 150
    assert module._exec_group._parts[0]._kept.nbytes <= 1 << 20
    module.forward(batch(3), is_train=False)
    assert module.get_outputs()[0].shape == (3, 3)


def test_gradients_of_other_shapes_reach_the_same_parameters(make_module):
    module = make_module()
    module.init_optimizer(optimizer_params={"learning_rate": 1.0, "rescale_grad": 1.0})
    module.forward_backward(batch(2))
    module.update()
    # Softmax gives 1/3 each, and class 0 was right twice.
    bias = module.get_params()[0]["fc_bias"].asnumpy()
    np.testing.assert_allclose(bias, [4 / 3, -2 / 3, -2 / 3], rtol=1e-6)


def test_parameters_must_fit(make_module):
    module = make_module()
    with pytest.raises(ShapeError, match=r"'fc_weight' would have shape \(3, 5\) but has \(3, 2\)"):
        module.forward(batch(4, features=5))


def test_number_of_arrays_must_fit(make_module):
    module = make_module()
    with pytest.raises(ValueError, match="2 arrays in data, expected 1: data"):
        module.forward(mx.io.DataBatch([mx.nd.ones((4, 2))] * 2))
    with pytest.raises(ValueError, match="2 arrays in label, expected 1: softmax_label"):
        module.forward(mx.io.DataBatch([mx.nd.ones((4, 2))], [mx.nd.ones((4,))] * 2))


def test_types_of_inputs():
    net = mx.sym.broadcast_add(mx.sym.var("data", dtype="float64"), mx.sym.var("w", shape=(1, 1)))
    module = mx.mod.Module(net, label_names=None)
    module.bind([mx.io.DataDesc("data", (2, 1), "float32")])
    assert module._exec_group.execs[0].arg_dict["data"].dtype is np.float64
    plain = mx.mod.Module(mx.sym.exp(mx.sym.var("data")), label_names=None)
    plain.bind([mx.io.DataDesc("data", (2, 1), "float16")])
    assert plain._exec_group.execs[0].arg_dict["data"].dtype is np.float16


def test_labels_that_the_symbol_does_not_use_are_for_the_metric():
    net = mx.sym.make_loss(mx.sym.broadcast_mul(mx.sym.var("data"), mx.sym.var("w", shape=(1, 1))))
    with pytest.warns(UserWarning, match="'softmax_label' is not found"):
        module = mx.mod.Module(net)
    source = mx.io.NDArrayIter(np.ones((4, 1)), np.ones((4, 1)), 2)
    module.bind(source.provide_data, source.provide_label)
    module.init_params(arg_params={"w": mx.nd.array([[3]])})
    assert module.score(source, "mse") == [("mse", 4.0)]


def test_a_monitor_sees_executors_of_other_shapes(make_module):
    module = make_module()
    watch = mx.mon.Monitor(1, pattern="softmax_output")
    module.install_monitor(watch)
    for n in (4, 6):
        watch.tic()
        module.forward(batch(n))
        assert [name for _, name, _ in watch.toc()] == ["softmax_output"]
