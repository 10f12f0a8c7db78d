"""Python functions that calls on small graphs enter; lower a bound when a call enters fewer."""

import opforge as mx
from opforge import nd, sym


def perceptron():
    hidden = sym.Activation(sym.FullyConnected(sym.var("data"), num_hidden=3), act_type="relu")
    return sym.FullyConnected(hidden, num_hidden=2)


def test_forward_and_backward_of_a_module(python_calls):
    output = sym.LinearRegressionOutput(perceptron(), name="out")
    module = mx.mod.Module(output, label_names=["out_label"])
    batch = mx.io.DataBatch([nd.ones((4, 3))], [nd.ones((4, 2))])
    module.bind([("data", (4, 3))], [("out_label", (4, 2))])
    module.init_params()
    assert python_calls(lambda: module.forward_backward(batch)) <= 24


def test_loading_of_eight_nodes(python_calls):
    text = perceptron().tojson()
    assert python_calls(lambda: sym.load_json(text)) <= 256
