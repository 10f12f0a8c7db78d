#!/bin/sh
# safetensors 0.8.0 saves a NumPy array that is not C-contiguous with its elements in the wrong
# order.
#
# `safetensors.numpy.save` writes the bytes in the order in which they lie in memory, but under
# the shape of the view. A transposed array therefore loads as another array, without an error:
#
#     saved    [[0, 3], [1, 4], [2, 5]]
#     loaded   [[0, 1], [2, 3], [4, 5]]
#
# Pass `numpy.ascontiguousarray(x)` instead.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 safetensors==0.8.0
"$folder/bin/python" - <<'END'
import numpy as np
from safetensors.numpy import load, save

transposed = np.arange(6).reshape(2, 3).T
loaded = load(save({"x": transposed}))["x"]
print("saved ", transposed.tolist())
print("loaded", loaded.tolist())
assert loaded.tolist() == [[0, 1], [2, 3], [4, 5]], "the behavior changed"
copied = load(save({"x": np.ascontiguousarray(transposed)}))["x"]
assert np.array_equal(copied, transposed), "a contiguous copy should load unchanged"
END
