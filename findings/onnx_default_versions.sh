#!/bin/sh
# A model that onnx 1.23.2 makes by default does not load in onnxruntime 1.30.0.
#
# `onnx.helper.make_model` writes the newest format that the package knows: opset 28 and IR
# version 14. onnxruntime 1.30.0 reads opsets up to 26 and IR versions up to 13, and rejects even
# a lone Identity. Both have to be given: opset 21 with IR version 10 is read by old and new
# versions, and has the int4 and blocked quantization types.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 onnx==1.23.2 onnxruntime==1.30.0
"$folder/bin/python" - <<'END'
import onnxruntime
from onnx import TensorProto, helper

x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", [x], [y])


def problem(model):
    """Return the error of loading a model, or ""."""
    try:
        onnxruntime.InferenceSession(model.SerializeToString())
    except Exception as error:  # the class is private to each version
        return str(error)
    return ""


default = helper.make_model(graph)
versions = default.opset_import[0].version, default.ir_version
print("default opset and IR version:", versions, problem(default))
assert versions == (28, 14), "the behavior changed"
assert "max supported IR version: 13" in problem(default), "the behavior changed"
opset_21 = [helper.make_opsetid("", 21)]
assert "IR version" in problem(helper.make_model(graph, opset_imports=opset_21))
assert not problem(helper.make_model(graph, opset_imports=opset_21, ir_version=10))
END
