#!/bin/sh
# onnxruntime 1.32.0 changes the result of a quantized Gemm whose bias has an unusual scale.
#
# A model may dequantize an int32 bias with any scale. The optimizer fuses DequantizeLinear, Gemm
# and QuantizeLinear into QGemm, which has no scale for the bias: it assumes the product of the
# scales of input and weight, and the scale in the model is lost. Here both are 0.1, and the bias
# is 100 * 0.02:
#
#     2 * 1 + 100 * 0.02   graph optimizations off 4, on 3
#
# Conv is fused only if the bias has (almost) the product of both scales. Write that scale into
# models.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
"$folder/bin/python" - <<'END'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


constants = {
    "scale": np.float32(0.1),
    "zero": np.int8(0),
    "weight": np.array([[10]], np.int8),
    "bias": np.array([100], np.int32),
    "bias_scale": np.float32(0.02),
    "bias_zero": np.int32(0),
}
nodes = [
    helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["x8"]),
    helper.make_node("DequantizeLinear", ["x8", "scale", "zero"], ["xf"]),
    helper.make_node("DequantizeLinear", ["weight", "scale", "zero"], ["wf"]),
    helper.make_node("DequantizeLinear", ["bias", "bias_scale", "bias_zero"], ["bf"]),
    helper.make_node("Gemm", ["xf", "wf", "bf"], ["sum"]),
    helper.make_node("QuantizeLinear", ["sum", "scale", "zero"], ["y8"]),
    helper.make_node("DequantizeLinear", ["y8", "scale", "zero"], ["y"]),
]
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1]) for name in "xy")
initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
graph = helper.make_graph(nodes, "gemm", [x], [y], initializers)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
onnx.checker.check_model(model, full_check=True)
found = {}
for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    found[level] = round(float(session.run(None, {"x": np.array([[2]], np.float32)})[0][0, 0]), 4)
print(found)
assert found == {"ORT_DISABLE_ALL": 4, "ORT_ENABLE_ALL": 3}, "the behavior changed"
END
