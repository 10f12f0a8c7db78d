#!/bin/sh
# ml_dtypes 0.6.0 rounds float64 twice on the way to bfloat16.
#
# `astype` converts to float32 first. 1 + 2**-8 is halfway between two numbers of bfloat16, and
# 2**-40 more is above the middle, so the nearest one is 1 + 2**-7. Float32 cannot represent
# 2**-40 next to 1, and the remaining tie is then rounded to even:
#
#     1 + 2**-8 + 2**-40   nearest 1.0078125, result 1
#
# The same happens to int64: 2**31 + 2**23 + 1 becomes 2**31 instead of 2**31 + 2**24. A reference
# computed in float64 can therefore differ from a correctly rounded result by one unit in the last
# place.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 ml_dtypes==0.6.0
"$folder/bin/python" - <<'END'
import ml_dtypes
import numpy as np

middle = 1 + 2**-8
above = middle + 2**-40
assert 1 < middle < above < 1 + 2**-7
rounded = float(np.float64(above).astype(ml_dtypes.bfloat16))
print("float64:", above, "->", rounded)
assert rounded == 1, "the behavior changed"
whole = int(np.array(2**31 + 2**23 + 1).astype(ml_dtypes.bfloat16).astype(np.int64))
print("int64:", 2**31 + 2**23 + 1, "->", whole)
assert whole == 2**31, "the behavior changed"
END
