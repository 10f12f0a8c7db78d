"""Layers that become one operator when networks are quantized."""

import json

import pytest
from opforge_quantization.graph.fusing import MARK, mark_layers
from opforge_quantization.graph.rewriting import quantize_symbol

from opforge import sym


def conv(x, name="conv", **options):
    return sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=4, name=name, **options)


def relu(x, name="relu"):
    return sym.Activation(x, act_type="relu", name=name)


def quantize(symbol, mode="full", **options):
    return quantize_symbol(mark_layers(symbol), quantize_mode=mode, **options)


def rows(symbol):
    """Return operators without variables, by name."""
    found = json.loads(symbol.tojson())["nodes"]
    return {row["name"]: row for row in found if row["op"] != "null"}


def operators(symbol):
    return {name: row["op"].removeprefix("_contrib_") for name, row in rows(symbol).items()}


DATA = sym.var("data")


def test_a_layer_and_its_names():
    found, names = quantize(relu(conv(DATA, no_bias=True)))
    assert operators(found) == {
        "data_quantize": "quantize_v2",
        "quantized_relu": "_int8_convolution",
        "relu_dequantize": "dequantize",
    }
    assert found.list_arguments() == ["data", "conv_weight"] and names == ["data", "relu_output"]
    attributes = rows(found)["quantized_relu"]["attrs"]
    assert attributes["kernel"] == "(3, 3)" and attributes["no_bias"] == "True"
    assert (attributes["with_act"], attributes["out_type"]) == ("True", "uint8")


def test_without_relu_integers_are_signed():
    found = rows(quantize(conv(DATA))[0])["quantized_conv"]["attrs"]
    assert (found["with_act"], found["with_sum"], found["out_type"]) == ("False", "False", "int8")


@pytest.mark.parametrize(
    "activation",
    [relu, lambda x: sym.relu(x, name="relu"), lambda x: sym.clip(x, 0, 6, name="relu")],
)
def test_kinds_of_relu(activation):
    found = operators(quantize(activation(conv(DATA)))[0])
    assert list(found) == ["data_quantize", "quantized_relu", "relu_dequantize"]


def test_other_bounds_stay():
    found = operators(quantize(sym.clip(conv(DATA), -1, 1, name="clip"))[0])
    assert found["clip"] == "clip" and found["quantized_conv"] == "_int8_convolution"


def test_a_residual_block():
    x = relu(conv(DATA, "first"), "start")
    y = conv(relu(conv(x, "second"), "inner"), "third")
    found, names = quantize(relu(x + y, "end"))
    assert list(operators(found).values()) == [
        "quantize_v2",
        *["_int8_convolution"] * 3,
        "dequantize",
    ]
    last = rows(found)["quantized_end"]
    assert (last["attrs"]["with_sum"], last["attrs"]["out_type"]) == ("True", "uint8")
    assert names == ["data", "start_output", "inner_output", "end_output"]


def test_only_one_of_two_added_convolutions_includes_the_sum():
    found = operators(quantize(relu(conv(DATA, "left") + conv(DATA, "right")))[0])
    assert list(found.values()).count("_int8_convolution") == 2
    assert "elemwise_add" not in "".join(found.values())


def test_a_real_value_is_not_part_of_the_sum():
    found = operators(quantize(conv(DATA) + sym.tanh(DATA), mode="smart")[0])
    assert "_int8_convolution" in found.values() and "elemwise_add" in found.values()


def test_values_with_other_readers_stay():
    x = conv(DATA)
    found = operators(quantize(sym.Group([relu(x), x]))[0])
    assert (
        found["quantized_conv"] == "_int8_convolution"
        and found["quantized_relu"] == "quantized_act"
    )
    twice = conv(DATA)
    found = operators(quantize(conv(twice + twice, "last"))[0])
    assert "quantized_elemwise_add" in found.values()


def test_dense_layers():
    x = sym.FullyConnected(DATA, num_hidden=3, name="first")
    found, names = quantize(sym.FullyConnected(relu(x), num_hidden=2, name="last"))
    assert list(operators(found)) == ["data_quantize", "quantized_relu", "quantized_last"]
    kinds = [row["attrs"]["out_type"] for row in rows(found).values()]
    assert kinds == ["int8", "uint8", "float32"] and names == ["data", "relu_output"]


def test_dense_layers_of_sequences_return_real_numbers_to_real_operators():
    x = sym.FullyConnected(DATA, num_hidden=3, flatten=False, name="first")
    y = sym.LayerNorm(sym.elemwise_add(x, DATA, name="sum"), name="norm")
    found = rows(quantize(sym.Group([sym.Embedding(y, input_dim=2, output_dim=3), y]))[0])
    assert "elemwise_add" in {row["op"] for row in found.values()}
    attributes = found["quantized_first"]["attrs"]
    assert attributes["out_type"] == "float32" and attributes["flatten"] == "False"
    assert "Embedding" in {row["op"] for row in found.values()}


def test_images_stay_integers_up_to_the_last_layer_that_keeps_them():
    x = sym.Pooling(conv(DATA), global_pool=True, pool_type="avg", name="pool")
    found = operators(quantize(sym.Flatten(x, name="flat"))[0])
    assert list(found) == [
        "data_quantize",
        "quantized_conv",
        "quantized_pool",
        "quantized_flat",
    ] + ["flat_dequantize"]


def test_excluded_nodes_and_operators():
    x = relu(conv(DATA))
    for options in ({"excluded_symbols": ["relu"]}, {"excluded_operators": ["Activation"]}):
        found = operators(quantize(x, **options)[0])
        assert found["relu"] == "Activation" and found["quantized_conv"] == "_int8_convolution"
    assert operators(quantize(x, excluded_symbols=["conv"])[0])["conv"] == "Convolution"


@pytest.mark.parametrize(
    "layer",
    [
        lambda x: sym.Convolution(x, kernel=(3,), num_filter=4, name="node"),
        lambda x: sym.Convolution(x, kernel=(1, 2, 3), num_filter=4, name="node"),
    ],
)
def test_others_keep_their_form(layer):
    found = operators(quantize(layer(DATA))[0])
    assert found["quantized_node"].startswith("quantized_") and "requantize_node" in found


def test_without_calibration_the_form_stays_and_marks_disappear():
    found, _ = quantize(
        relu(conv(sym.Convolution(DATA, kernel=(3, 3), num_filter=2))), is_calibrated=False
    )
    assert "_int8_convolution" not in operators(found).values() and MARK not in found.tojson()
    assert MARK not in quantize(relu(conv(DATA)), excluded_symbols=["conv"])[0].tojson()
