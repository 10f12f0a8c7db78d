#!/bin/sh
# onnxruntime 1.32.0 does not clip the cell of an LSTM before the last activation.
#
# ONNX describes the attribute `clip` of LSTM as a bound on the inputs of the activations. A layer
# has three: of the gates (f), of the candidate (g), and of the cell before the output (h). With
# clip=0.3 and a cell of 0.45 at the end of a step, h gets 0.45 and not 0.3, so the output is
# sigmoid(...) * tanh(0.45); the gates and the candidate are clipped.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.3.5
"$folder/bin/python" - <<'END'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

clip, cell = 0.3, 0.9
weights = {
    "w": np.zeros((1, 4, 1), np.float32),
    "r": np.zeros((1, 4, 1), np.float32),
    "h": np.zeros((1, 1, 1), np.float32),
    "c": np.full((1, 1, 1), cell, np.float32),
}
node = helper.make_node(
    "LSTM", ["x", "w", "r", "", "", "h", "c"], ["", "y", "state"], hidden_size=1, clip=clip
)
value = helper.make_tensor_value_info
graph = helper.make_graph(
    [node],
    "g",
    [value("x", TensorProto.FLOAT, (1, 1, 1))],
    [value("y", TensorProto.FLOAT, (1, 1, 1)), value("state", TensorProto.FLOAT, (1, 1, 1))],
    [numpy_helper.from_array(array, name) for name, array in weights.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString())
y, state = session.run(None, {"x": np.zeros((1, 1, 1), np.float32)})
y, state = y.item(), state.item()
print("cell:", state, "output:", y)
print("output / sigmoid(0):", y / 0.5, "tanh(cell):", np.tanh(state), "tanh(clip):", np.tanh(clip))
assert abs(state - 0.5 * cell) < 1e-6
assert abs(y / 0.5 - np.tanh(state)) < 1e-6, "the behavior changed"
END
