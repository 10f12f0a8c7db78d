#!/bin/sh
# onnx 1.23.2 returns the body of a context-dependent function only for the opset that it names.
#
# `OpSchema.get_context_dependent_function_with_opset_version(version, node, types)` looks for a
# body of just this version, not for the newest one up to it, and returns empty bytes otherwise. The
# opsets are in `context_dependent_function_opset_versions`: CenterCropPad has [18], so a model of
# opset 20, in which the operator is that of opset 18, gets nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet onnx==1.23.2 numpy==2.3.5
"$folder/bin/python" - <<'END'
from onnx import TensorProto, defs, helper

schema = defs.get_schema("CenterCropPad", 20)
node = helper.make_node("CenterCropPad", ["x", "s"], ["y"]).SerializeToString()
types = [
    helper.make_tensor_type_proto(TensorProto.FLOAT, (4, 7)).SerializeToString(),
    helper.make_tensor_type_proto(TensorProto.INT64, (2,)).SerializeToString(),
]
found = {
    version: len(schema.get_context_dependent_function_with_opset_version(version, node, types))
    for version in (18, 19, 20)
}
print("since:", schema.since_version, "bodies:", schema.context_dependent_function_opset_versions)
print("bytes by version:", found)
assert schema.since_version == 18 and schema.context_dependent_function_opset_versions == [18]
assert found[18] > 0 and found[19] == found[20] == 0, "the behavior changed"
END
