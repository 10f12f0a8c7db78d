import numpy as np
import pytest

import opforge as mx
from opforge import sym

pytestmark = pytest.mark.plugins


def row(hidden=8, last_name="last"):
    body = sym.Activation(
        sym.FullyConnected(sym.var("data"), num_hidden=hidden, name="first"), act_type="relu"
    )
    head = sym.FullyConnected(sym.var("features"), num_hidden=3, name=last_name)
    head = sym.SoftmaxOutput(head, name="softmax")
    return (
        mx.mod.SequentialModule()
        .add(mx.mod.Module(body, label_names=None))
        .add(
            mx.mod.Module(head, data_names=["features"]),
            take_labels=True,
            auto_wiring=True,
        )
    )


def samples(n=60):
    label = np.arange(n) % 3
    data = np.eye(3)[label] + np.random.normal(0, 0.1, (n, 3))
    return mx.io.NDArrayIter(data, label, batch_size=10)


def test_fit_trains_all_modules():
    module = row(hidden=32)
    module.fit(
        samples(),
        num_epoch=10,
        optimizer_params={"learning_rate": 0.5},
        initializer=mx.init.Xavier(),
    )
    assert dict(module.score(samples(), "acc"))["accuracy"] > 0.9
    args, states = module.get_params()
    assert sorted(args) == ["first_bias", "first_weight", "last_bias", "last_weight"]
    assert states == {}
    assert module.predict(samples()).shape == (60, 3)


def test_results_equal_those_of_one_module():
    batch = next(samples())
    module = row(hidden=4)
    shapes = [("data", (10, 3))], [("softmax_label", (10,))]
    module.bind(*shapes, inputs_need_grad=True)
    module.init_params(mx.init.One())
    body = sym.FullyConnected(sym.var("data"), num_hidden=4, name="first")
    head = sym.FullyConnected(sym.Activation(body, act_type="relu"), num_hidden=3, name="last")
    whole = mx.mod.Module(sym.SoftmaxOutput(head, name="softmax"))
    whole.bind(*shapes, inputs_need_grad=True)
    whole.init_params(None, *module.get_params())
    for one in (module, whole):
        one.forward_backward(batch)
    assert np.allclose(module.get_outputs()[0].asnumpy(), whole.get_outputs()[0].asnumpy())
    pair = [one.get_input_grads()[0].asnumpy() for one in (module, whole)]
    assert np.allclose(*pair, atol=1e-6)
    assert (module.data_names, module.output_names) == (["data"], ["softmax_output"])
    assert module.data_shapes == shapes[0]
    assert module.label_shapes == shapes[1]
    assert module.output_shapes == [("softmax_output", (10, 3))]


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="unknown take_label; it takes"):
        mx.mod.SequentialModule().add(
            mx.mod.Module(sym.var("data"), label_names=None), take_label=1
        )
    with pytest.raises(AssertionError, match="add a module"):
        mx.mod.SequentialModule().bind([("data", (1, 3))])
    module = row(last_name="first")
    module.bind([("data", (10, 8))], [("softmax_label", (10,))])
    with pytest.raises(AssertionError, match="modules 0 and 1 both have a parameter 'first_"):
        module.init_params()
    data = sym.var("data")
    pair = sym.Group([data * 2, data * 3])
    module = mx.mod.SequentialModule().add(mx.mod.Module(pair, label_names=None))
    module.add(mx.mod.Module(sym.var("data"), label_names=None), auto_wiring=True)
    with pytest.raises(AssertionError, match="2 outputs go to a module with 1 data"):
        module.bind([("data", (1, 3))])


def test_a_python_loss_at_the_end():
    body = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")

    def gradient(scores, labels):
        probability = mx.nd.softmax(scores).asnumpy()
        return (probability - np.eye(3)[labels.asnumpy().astype(int)]) / len(probability)

    module = mx.mod.SequentialModule().add(mx.mod.Module(body, label_names=None))
    module.add(mx.mod.PythonLossModule(grad_func=gradient), take_labels=True, auto_wiring=True)
    module.fit(samples(), num_epoch=8, optimizer_params={"learning_rate": 20.0})
    assert dict(module.score(samples(), "acc"))["accuracy"] > 0.9
