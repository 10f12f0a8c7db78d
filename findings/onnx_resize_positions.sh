#!/bin/sh
# `Resize` with mode linear in onnxruntime 1.32.0 and OpenVINO 2026.4.1 (f32): the error of results grows
# with the length of the axis, because both compute the positions that they read in float32.
#
# Largest error for values between -1 and 1, by the length before and after. Rounding of the results alone
# would be 6e-8:
#
#                                  onnxruntime   OpenVINO
#     align_corners    48   192    2.4e-06       4.2e-06
#     align_corners   512  2048    2.3e-05       2.3e-05
#     align_corners  2000  7001    1.2e-04       1.3e-04
#     half_pixel      512  2048    8.9e-08       6.0e-08   (positions are exact in float32)
#     half_pixel     2000  7001    1.4e-04       1.4e-04
#
# So a network that enlarges feature maps may agree in both programs only to 1e-5 with one that computes
# positions in float64.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1
"$folder/bin/python" - <<'END'
import numpy as np
import onnxruntime
import openvino
from onnx import TensorProto, helper


def file(before, after, mode):
    node = helper.make_node(
        "Resize", ["x", "", "", "sizes"], ["y"], mode="linear",
        coordinate_transformation_mode=mode,
    )
    shapes = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, 1, length])
        for name, length in (("x", before), ("y", after))
    ]
    sizes = helper.make_tensor("sizes", TensorProto.INT64, [4], [1, 1, 1, after])
    graph = helper.make_graph([node], "g", shapes[:1], shapes[1:], [sizes])
    opset = [helper.make_opsetid("", 18)]
    return helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()


def exact(x, after, mode):
    before, at = len(x), np.arange(after, dtype="float64")
    position = {
        "align_corners": at * (before - 1) / (after - 1),
        "half_pixel": np.clip((at + 0.5) * before / after - 0.5, 0, before - 1),
    }[mode]
    left = np.minimum(position.astype(int), before - 2)
    part = position - left
    return x[left] * (1 - part) + x[left + 1] * part


def errors(before, after, mode):
    x = np.random.default_rng(0).uniform(-1, 1, before).astype("float32")
    model, data = file(before, after, mode), x.reshape(1, 1, 1, -1)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    want = exact(x.astype("float64"), after, mode)
    results = session.run(None, {"x": data})[0], compiled([data])[compiled.outputs[0]]
    return [float(np.abs(found.ravel() - want).max()) for found in results]


for mode, before, after, least in (
    ("align_corners", 48, 192, 1e-6),
    ("align_corners", 512, 2048, 1e-5),
    ("align_corners", 2000, 7001, 5e-5),
    ("half_pixel", 512, 2048, 0),
    ("half_pixel", 2000, 7001, 5e-5),
):
    found = errors(before, after, mode)
    print(mode, before, after, *(f"{error:.1e}" for error in found))
    assert all(error > least for error in found), "the behavior changed"
    assert least or max(found) < 2e-7, "the behavior changed"
END
