#!/bin/sh
# With ml_dtypes 0.6.0, the sum of 1,000 ones in bfloat16 is 256.
#
# NumPy 2.4 adds arrays of bfloat16 in bfloat16. It has 8 significant bits: from 256 on, adding 1
# has no effect. The mean is wrong as well. NumPy sums its own float16 pairwise and in float32:
#
#     bfloat16   sum 256    mean 0.255859
#     float16    sum 1000   mean 1
#
# Convert first: `x.astype("float32").sum()`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 ml_dtypes==0.6.0
"$folder/bin/python" - <<'END'
import ml_dtypes
import numpy as np

for dtype, total, mean in ((ml_dtypes.bfloat16, 256, 0.255859375), (np.float16, 1000, 1)):
    ones = np.ones(1000, dtype)
    print(f"{ones.dtype}: sum {ones.sum()}, mean {ones.mean()}")
    assert (ones.sum(), ones.mean()) == (total, mean), "the behavior changed"
assert np.ones(1000, ml_dtypes.bfloat16).astype("float32").sum() == 1000
END
