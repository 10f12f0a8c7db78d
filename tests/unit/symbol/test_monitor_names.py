import pytest

from opforge import sym
from opforge.symbol.monitor_names import input_names, numbered_outputs

x, y = sym.var("x"), sym.var("y")


def node(symbol):
    return symbol.edges[0][0]


@pytest.mark.plugins
@pytest.mark.parametrize(
    ("symbol", "inputs", "outputs"),
    [
        (sym.exp(x, name="n"), ["input0"], ["n_0"]),
        (sym.relu(x, name="n"), ["input0"], ["n_0"]),
        (sym.sum(x, axis=0, name="n"), ["input0"], ["n_0"]),
        (sym.op._plus_scalar(x, scalar=1.0, name="n"), ["input0"], ["n_0"]),
        (sym.elemwise_mul(x, y, name="n"), ["lhs", "rhs"], ["n_0"]),
        (sym.elemwise_add(x, y, name="n"), ["lhs", "rhs"], ["n_output"]),
        (sym.where(x, y, y, name="n"), ["condition", "x", "y"], ["n_0"]),
        (sym.tile(x, reps=(2,), name="n"), ["data"], ["n_0"]),
        (sym.diag(x, name="n"), ["data"], ["n_0"]),
        (sym.concat(x, y, name="n"), ["arg0", "arg1"], ["n_output"]),
        (sym.split(x, num_outputs=2, name="n"), ["data"], ["n_output0", "n_output1"]),
    ],
)
def test_names_are_those_of_mxnet(symbol, inputs, outputs):
    assert input_names(node(symbol).operation) == inputs
    assert numbered_outputs(node(symbol)) == outputs


@pytest.mark.plugins
@pytest.mark.parametrize(
    ("symbol", "inputs", "outputs"),
    [
        (sym.Activation(x, act_type="relu", name="n"), ["input0"], ["n_output"]),
        (sym.FullyConnected(x, num_hidden=2, name="n"), ["data", "weight", "bias"], ["n_output"]),
        (sym.Pooling(x, kernel=(2, 2), pool_type="max", name="n"), ["data"], None),
        (sym.SoftmaxActivation(x, name="n"), ["input0"], ["n_output"]),
        (sym.softmax(x, name="n"), ["data"], ["n_output"]),
        (sym.Dropout(x, name="n"), ["data"], ["n_output", "n_mask"]),
    ],
)
def test_names_of_plugins_operators_are_those_of_mxnet(symbol, inputs, outputs):
    assert input_names(node(symbol).operation) == inputs
    if outputs is not None:
        assert numbered_outputs(node(symbol)) == outputs
