import pytest

import opforge as mx
from opforge import nd


class Double(mx.mod.PythonModule):
    def __init__(self):
        super().__init__(["data"], ["label"], ["double_output"])

    def _compute_output_shapes(self):
        return [("double_output", self._data_shapes[0].shape)]

    def forward(self, data_batch, is_train=None):
        self._out = data_batch.data[0] * 2

    def get_outputs(self, merge_multi_context=True):
        return [self._out]


def test_a_module_without_parameters():
    module = Double()
    module.bind([("data", (2, 3))], [("label", (2, 3))])
    module.init_params()
    module.init_optimizer()
    assert (module.data_names, module.output_names) == (["data"], ["double_output"])
    assert (module.data_shapes, module.label_shapes) == ([("data", (2, 3))], [("label", (2, 3))])
    assert module.output_shapes == [("double_output", (2, 3))]
    assert module.get_params() == ({}, {})
    ones = nd.ones((2, 3))
    module.forward(mx.io.DataBatch([ones], [ones]))
    module.update()
    metric = mx.metric.MAE()
    module.update_metric(metric, [ones])
    assert metric.get() == ("mae", 1.0)
    with pytest.raises(RuntimeError, match="not sliced"):
        module.update_metric(metric, [[ones]], pre_sliced=True)


def test_binding(caplog):
    module = Double()
    with pytest.raises(ValueError, match="data_names"):
        module.bind([("x", (2, 3))], [("label", (2,))])
    module.bind([("data", (2, 3))], [("label", (2,))])
    module.bind([("data", (5, 3))], [("label", (5,))])
    assert caplog.messages == ["Already bound, ignoring bind()"]
    assert module.data_shapes == [("data", (2, 3))]
    module = mx.mod.PythonModule(["data"], None, ["out"])
    with pytest.raises(NotImplementedError, match="_compute_output_shapes"):
        module.bind([("data", (2, 3))])


def test_without_labels_metrics_see_nothing():
    module = mx.mod.PythonLossModule(label_names=["label"])
    with pytest.warns(UserWarning, match="label_names"):
        module.bind([("data", (2, 3))])
    metric = mx.metric.MAE()
    module.update_metric(metric, [nd.ones((2, 3))])
    assert metric.num_inst == 0


def test_losses():
    batch = mx.io.DataBatch([nd.array([[1.0, 2.0]])], [nd.array([[0.5, 0.5]])])
    shapes = [("data", (1, 2))], [("softmax_label", (1, 2))]
    module = mx.mod.PythonLossModule(grad_func=lambda scores, labels: scores - labels)
    module.bind(*shapes)
    module.init_params()
    module.forward(batch)
    assert module.output_shapes == [("pyloss_output", (1, 2))]
    assert module.get_outputs()[0].asnumpy().tolist() == [[1.0, 2.0]]
    module.backward()
    assert module.get_input_grads()[0].asnumpy().tolist() == [[0.5, 1.5]]
    with pytest.raises(AssertionError, match="out_grads must be None"):
        module.backward(nd.ones((1, 2)))
    plain = mx.mod.PythonLossModule()
    plain.bind(*shapes)
    plain.forward(batch)
    with pytest.raises(NotImplementedError, match="grad_func"):
        plain.backward()
    with pytest.raises(AssertionError, match="expected one each"):
        mx.mod.PythonLossModule(data_names=["a", "b"])
