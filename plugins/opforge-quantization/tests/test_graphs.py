import json

import pytest
from opforge_quantization.graph.calibrating import calibrate_symbol
from opforge_quantization.graph.rewriting import quantize_symbol

from opforge import sym


def network():
    """Return conv, relu, a float operator, fc and relu."""
    x = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    x = sym.Activation(x, act_type="relu", name="relu")
    x = sym.FullyConnected(sym.tanh(x, name="tanh"), num_hidden=3, name="fc")
    return sym.Activation(x, act_type="relu", name="last")


PARAMETERS = ["conv_weight", "conv_bias", "fc_weight", "fc_bias"]


def operators(symbol):
    rows = json.loads(symbol.tojson())["nodes"]
    return {row["name"]: row["op"].removeprefix("_contrib_") for row in rows if row["op"] != "null"}


def test_names_and_operators():
    found, names = quantize_symbol(network(), offline_params=PARAMETERS, quantize_mode="full")
    assert operators(found) == {
        "data_quantize": "quantize_v2",
        "quantized_conv": "quantized_conv",
        "requantize_conv": "requantize",
        "quantized_relu": "quantized_act",
        "relu_dequantize": "dequantize",
        "tanh": "tanh",
        "tanh_output_quantize": "quantize_v2",
        "quantized_fc": "quantized_fully_connected",
        "requantize_fc": "requantize",
        "quantized_last": "quantized_act",
        "last_dequantize": "dequantize",
    }
    assert names == ["data", "conv_output", "tanh_output", "fc_output"]
    assert [name for name in found.list_arguments() if name.startswith("fc_weight")] == [
        "fc_weight_quantize",
        "fc_weight_quantize_min",
        "fc_weight_quantize_max",
    ]


def test_smart_mode_keeps_cheap_operators_at_the_ends_real():
    """An activation is quantized only between two layers with weights."""
    x = sym.Pooling(sym.var("data"), kernel=(2, 2), pool_type="max", name="first")
    x = sym.Convolution(x, kernel=(1, 1), num_filter=2, name="conv")
    x = sym.Activation(x, act_type="relu", name="between")
    x = sym.Activation(sym.FullyConnected(x, num_hidden=3, name="fc"), act_type="relu", name="last")
    found = operators(quantize_symbol(x, quantize_mode="smart")[0])
    assert "first" in found and "last" in found and "quantized_between" in found
    everything = operators(quantize_symbol(x, quantize_mode="full")[0])
    assert "quantized_first" in everything and "quantized_last" in everything


def test_excluded_nodes_and_operators():
    found = operators(quantize_symbol(network(), excluded_symbols=["conv"])[0])
    assert "conv" in found and "quantized_fc" in found
    found = operators(quantize_symbol(network(), excluded_operators=["FullyConnected"])[0])
    assert "fc" in found and "quantized_conv" in found


def test_parameters_that_are_not_stored_are_quantized_in_the_graph():
    found = operators(quantize_symbol(network())[0])
    assert found["fc_weight_quantize"] == "quantize_v2"


def test_a_value_is_quantized_once():
    x = sym.tanh(sym.var("data"), name="tanh")
    branches = [sym.FullyConnected(x, num_hidden=2, name=f"fc{i}") for i in range(2)]
    found, names = quantize_symbol(sym.Group(branches))
    assert list(operators(found)).count("tanh_output_quantize") == 1
    assert names.count("tanh_output") == 1


@pytest.mark.parametrize(
    "node",
    [
        lambda x: sym.Pooling(x, kernel=(2, 2), pool_type="sum", name="node"),
        lambda x: sym.Pooling(x, kernel=(2, 2), pooling_convention="same", name="node"),
        lambda x: sym.Convolution(x, kernel=(1, 1), num_filter=2, layout="NHWC", name="node"),
        lambda x: sym.Activation(x, act_type="tanh", name="node"),
        lambda x: sym.Concat(x, x, dim=0, name="node"),
        lambda x: sym.RNN(x, mode="gru", state_size=2, num_layers=1, name="node"),
        lambda x: sym.BatchNorm(x, output_mean_var=True, name="node")[0],
    ],
)
def test_operators_without_a_quantized_form_stay(node):
    found = operators(quantize_symbol(node(sym.var("data")), quantize_mode="full")[0])
    assert "node" in found and "quantized_node" not in found


def test_normalization_needs_calibration():
    x = sym.BatchNorm(sym.var("data"), name="bn")
    options = {"quantize_mode": "full"}
    assert "quantized_bn" in operators(quantize_symbol(x, **options)[0])
    assert "bn" in operators(quantize_symbol(x, is_calibrated=False, **options)[0])


def test_bodies_of_loops_stay():
    def body(x, state):
        return x + state, x + state

    data = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    out, _ = sym.contrib.foreach(body, data, sym.var("state"), name="loop")
    found, _ = quantize_symbol(out)
    assert found.list_outputs() == out.list_outputs()


def test_relu_is_part_of_the_conversion_to_uint8():
    found, names = quantize_symbol(
        network(), offline_params=PARAMETERS, quantized_dtype="auto", quantize_mode="full"
    )
    assert [name for name in operators(found) if "relu" in name or "conv" in name] == [
        "quantized_relu",
        "requantize_relu",
        "relu_dequantize",
    ]
    assert names == ["data", "relu_output", "tanh_output", "last_output"]
    attributes = calibrate_symbol(found, {"relu_output": (0, 4)}).attr_dict()["requantize_relu"]
    assert (attributes["out_type"], attributes["max_calib_range"]) == ("uint8", "4.000000")


def test_relu_of_sums_that_have_other_uses_stays():
    x = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    both = sym.Group([sym.Activation(x, act_type="relu", name="relu"), x])
    found, names = quantize_symbol(both, quantized_dtype="auto", quantize_mode="full")
    assert operators(found)["quantized_relu"] == "quantized_act" and "fc_output" in names


def test_unknown_mode():
    with pytest.raises(ValueError, match="quantize_mode is 'fast'; expected 'full' or 'smart'"):
        quantize_symbol(network(), quantize_mode="fast")


def test_ranges_become_attributes():
    quantized, names = quantize_symbol(network(), quantize_mode="full")
    found = calibrate_symbol(quantized, {name: (-0.5, at + 1 / 3) for at, name in enumerate(names)})
    attributes = found.attr_dict()
    assert attributes["requantize_conv"]["min_calib_range"] == "-0.500000"
    assert (
        attributes["requantize_conv"]["max_calib_range"]
        == f"{names.index('conv_output') + 1 / 3:.6f}"
    )
    assert attributes["data_quantize"]["max_calib_range"] == f"{names.index('data') + 1 / 3:.6f}"
    assert calibrate_symbol(quantized, {}) is quantized


def test_small_ranges_keep_their_digits():
    quantized, _ = quantize_symbol(network(), quantize_mode="full")
    found = calibrate_symbol(quantized, {"data": (0, 1.25e-7)}).attr_dict()["data_quantize"]
    assert (found["min_calib_range"], found["max_calib_range"]) == ("0.000000", "1.25e-07")
