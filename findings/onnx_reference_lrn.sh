#!/bin/sh
# onnx 1.23.2's ReferenceEvaluator normalizes only as many channels in LRN as there are images.
#
# For one image of three channels, the sum of squares is computed for the first channel; the others
# are divided by bias ** beta, 1 here, and stay as they are. With as many images as channels, the
# results are right, and equal those of onnxruntime. A converter that is judged by this evaluator
# with a batch of one looks wrong.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.3.5
"$folder/bin/python" - <<'END'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

value = helper.make_tensor_value_info


def both(images):
    shape = (images, 3, 1, 1)
    node = helper.make_node("LRN", ["x"], ["y"], size=3, alpha=3.0, beta=1.0, bias=1.0)
    ends = [[value(name, TensorProto.FLOAT, shape)] for name in "xy"]
    graph = helper.make_graph([node], "g", *ends)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    x = np.tile(np.array([1, 2, 3], np.float32).reshape(1, 3, 1, 1), (images, 1, 1, 1))
    session = onnxruntime.InferenceSession(model.SerializeToString())
    results = ReferenceEvaluator(model).run(None, {"x": x})[0], session.run(None, {"x": x})[0]
    return [result[0].ravel() for result in results]


right = np.array([1, 2, 3]) / (1 + np.array([1 + 4, 1 + 4 + 9, 4 + 9]))
for images in (1, 3):
    reference, runtime = both(images)
    print(f"{images} images: onnx {reference}, onnxruntime {runtime}, expected {right}")
    assert np.allclose(runtime, right)
    seen = right if images == 3 else [right[0], 2, 3]
    assert np.allclose(reference, seen), "the behavior changed"
END
