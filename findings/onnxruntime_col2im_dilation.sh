#!/bin/sh
# onnxruntime 1.32.0 ignores the dilation of Col2Im unless the blocks have two dimensions.
#
# The columns of a signal with a kernel of 3 and dilation 2 are added at neighboring elements, and
# those of the next channel begin in the middle of it. The same columns as an image of height 1 give
# the result of the standard's reference evaluator. Use ConvTranspose with one filter for each element
# of the kernel, or images of height 1.
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
from onnx.reference import ReferenceEvaluator

x = np.arange(18, dtype="float32").reshape(1, 6, 3)


def model_of(size, kernel, dilations):
    node = helper.make_node("Col2Im", ["x", "size", "kernel"], ["y"], dilations=dilations)
    info = helper.make_tensor_value_info
    given = [("size", size), ("kernel", kernel)]
    constants = [helper.make_tensor(n, TensorProto.INT64, [len(v)], v) for n, v in given]
    ends = [info("x", TensorProto.FLOAT, x.shape)], [info("y", TensorProto.FLOAT, [1, 2, *size])]
    graph = helper.make_graph([node], "g", *ends, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model


def run(model):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {"x": x})[0].reshape(2, 7)


signal, image = model_of([7], [3], [2]), model_of([1, 7], [1, 3], [1, 2])
reference = ReferenceEvaluator(signal).run(None, {"x": x})[0].reshape(2, 7)
print("reference:", reference.tolist())
print("signal:   ", run(signal).tolist())
print("image:    ", run(image).tolist())
assert (run(image) == reference).all(), "images have changed"
assert not (run(signal) == reference).all(), "the behavior changed"
END
