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
        (lambda: sym.exp(x, name="n"), ["input0"], ["n_0"]),
        (lambda: sym.relu(x, name="n"), ["input0"], ["n_0"]),
        (lambda: sym.sum(x, axis=0, name="n"), ["input0"], ["n_0"]),
        (lambda: sym.op._plus_scalar(x, scalar=1.0, name="n"), ["input0"], ["n_0"]),
        (lambda: sym.elemwise_mul(x, y, name="n"), ["lhs", "rhs"], ["n_0"]),
        (lambda: sym.elemwise_add(x, y, name="n"), ["lhs", "rhs"], ["n_output"]),
        (lambda: sym.where(x, y, y, name="n"), ["condition", "x", "y"], ["n_0"]),
        (lambda: sym.tile(x, reps=(2,), name="n"), ["data"], ["n_0"]),
        (lambda: sym.diag(x, name="n"), ["data"], ["n_0"]),
        (lambda: sym.sort(x, name="n"), ["input0"], ["n_0"]),
        (lambda: sym.make_loss(x, name="n"), ["input0"], ["n_loss"]),
        (lambda: sym.concat(x, y, name="n"), ["arg0", "arg1"], ["n_output"]),
        (lambda: sym.split(x, num_outputs=2, name="n"), ["data"], ["n_output0", "n_output1"]),
    ],
)
def test_names_are_those_of_mxnet(symbol, inputs, outputs):
    made = node(symbol())
    assert input_names(made.operation) == inputs
    assert numbered_outputs(made) == outputs


@pytest.mark.plugins
@pytest.mark.parametrize(
    ("symbol", "inputs", "outputs"),
    [
        (lambda: sym.Activation(x, act_type="relu", name="n"), ["input0"], ["n_output"]),
        (
            lambda: sym.FullyConnected(x, num_hidden=2, name="n"),
            ["data", "weight", "bias"],
            ["n_output"],
        ),
        (lambda: sym.Pooling(x, kernel=(2, 2), pool_type="max", name="n"), ["data"], None),
        (lambda: sym.SoftmaxActivation(x, name="n"), ["input0"], ["n_output"]),
        (lambda: sym.softmax(x, name="n"), ["data"], ["n_output"]),
        (lambda: sym.Dropout(x, name="n"), ["data"], ["n_output", "n_mask"]),
        (lambda: sym.SVMOutput(x, name="n"), ["data", "label"], ["n_output"]),
        (
            lambda: sym.IdentityAttachKLSparseReg(x, name="n"),
            ["data", "moving_avg"],
            ["n_output"],
        ),
        (lambda: sym.contrib.fft(x, name="n"), ["data"], ["n_output"]),
        (lambda: sym.contrib.ifft(x, name="n"), ["data"], ["n_output"]),
        (
            lambda: sym.contrib.count_sketch(x, out_dim=2, name="n"),
            ["data", "h", "s"],
            ["n_output"],
        ),
        (
            lambda: sym.contrib.PSROIPooling(
                x, spatial_scale=1, output_dim=1, pooled_size=2, name="n"
            ),
            ["data", "rois"],
            ["n_output"],
        ),
        (
            lambda: sym.contrib.MultiBoxDetection(x, name="n"),
            ["cls_prob", "loc_pred", "anchor"],
            ["n_output"],
        ),
    ],
)
def test_names_of_plugins_operators_are_those_of_mxnet(symbol, inputs, outputs):
    made = node(symbol())
    assert input_names(made.operation) == inputs
    if outputs is not None:
        assert numbered_outputs(made) == outputs
