#!/bin/sh
# onnxruntime 1.32.0 rejects LRN with an even size, which the ONNX standard defines.
#
# ONNX sums the squares of the channels from c - floor((size - 1) / 2) to c + ceil((size - 1) / 2),
# so that size=2 adds the next channel to each, and the checker of onnx accepts the node. A session
# of onnxruntime raises an error ("size_ % 2 == 1 was false"). Odd sizes are computed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.3.5
"$folder/bin/python" - <<'END'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

shape = (1, 3, 1, 1)
value = helper.make_tensor_value_info


def model_of(size):
    node = helper.make_node("LRN", ["x"], ["y"], size=size, alpha=2.0, beta=1.0, bias=1.0)
    ends = [[value(name, TensorProto.FLOAT, shape)] for name in "xy"]
    graph = helper.make_graph([node], "g", *ends)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model


x = np.array([1, 2, 3], np.float32).reshape(shape)
session = onnxruntime.InferenceSession(model_of(3).SerializeToString())
print("size 3:", session.run(None, {"x": x})[0].ravel())
try:
    onnxruntime.InferenceSession(model_of(2).SerializeToString())
except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
    text = str(error)
else:
    text = ""
print("size 2:", text[-120:])
assert "size_ % 2 == 1 was false" in text, "the behavior changed"
END
