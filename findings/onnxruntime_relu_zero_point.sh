#!/bin/sh
# onnxruntime 1.32.0 computes a quantized Conv and Relu in integers only for one zero point.
#
# Conv, Relu and QuantizeLinear become one QLinearConv if the zero point of the output is the
# lowest value of its type, where saturation does what Relu does. With any other zero point, as
# symmetric int8 quantization has it, the graph silently keeps a float convolution between
# conversions:
#
#     int8, zero point -128   QLinearConv
#     int8, zero point 0      DequantizeLinear, FusedConv, QuantizeLinear
#     uint8, zero point 0     QLinearConv
#     uint8, zero point 5     DequantizeLinear, FusedConv, QuantizeLinear
#
# Calibrate the outputs of Relu asymmetrically. `SessionOptions.optimized_model_filepath` shows
# what a model became.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
cd "$folder"
"$folder/bin/python" - <<'END'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def optimized(dtype, zero_point, path):
    """Return the types of the nodes that remain of QuantizeLinear, Conv, Relu, QuantizeLinear."""
    constants = {
        "scale": np.float32(0.1),
        "zero": dtype(0),
        "weight": np.ones((1, 1, 1, 1), np.int8),
        "weight_zero": np.int8(0),
        "out_zero": dtype(zero_point),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["x8"]),
        helper.make_node("DequantizeLinear", ["x8", "scale", "zero"], ["xf"]),
        helper.make_node("DequantizeLinear", ["weight", "scale", "weight_zero"], ["wf"]),
        helper.make_node("Conv", ["xf", "wf"], ["conv"]),
        helper.make_node("Relu", ["conv"], ["relu"]),
        helper.make_node("QuantizeLinear", ["relu", "scale", "out_zero"], ["y8"]),
        helper.make_node("DequantizeLinear", ["y8", "scale", "out_zero"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, 4, 4]) for name in "xy")
    initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "conv", [x], [y], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.optimized_model_filepath = path
    onnxruntime.InferenceSession(model.SerializeToString(), options)
    return {node.op_type for node in onnx.load(path).graph.node}


for dtype, zero_point, fused in (
    (np.int8, -128, True),
    (np.int8, 0, False),
    (np.uint8, 0, True),
    (np.uint8, 5, False),
):
    types = optimized(dtype, zero_point, "optimized.onnx")
    print(dtype.__name__, zero_point, sorted(types))
    found = "QLinearConv" in types, "FusedConv" in types
    assert found == (fused, not fused), "the behavior changed"
END
