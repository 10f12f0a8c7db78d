#!/bin/sh
# PyTorch 2.13.0 ignores DLPack's read-only flag: `torch.from_dlpack` makes a constant writable.
#
# NumPy 2.4 exports a read-only array with the flag DLPACK_FLAG_BITMASK_READ_ONLY of DLPack 1.0,
# and `numpy.from_dlpack` respects it. PyTorch imports the same capsule without a warning as a
# tensor like any other; writing to it changes the array:
#
#     array    read-only [1, 1]
#     after    tensor[0] = 9
#     array    read-only [9, 1]
#
# Copy arrays that must not change before they are exported. (The installation is large.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 torch==2.13.0
"$folder/bin/python" - <<'END'
import numpy as np
import torch

array = np.ones(2)
array.flags.writeable = False
assert not np.from_dlpack(array).flags.writeable, "NumPy should respect the flag"
tensor = torch.from_dlpack(array)
tensor[0] = 9
print("read-only array:", array)
assert array.tolist() == [9, 1], "the behavior changed"
END
