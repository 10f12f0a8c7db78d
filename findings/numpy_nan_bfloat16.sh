#!/bin/sh
# With ml_dtypes 0.6.0, `np.nansum` and `np.nanmean` of bfloat16 do not ignore NaN: they return it.
#
# NumPy 2.4 looks for NaN only in types that it knows to be floating; bfloat16 is of kind "V". So
# sorting does not move NaN to the end, `np.unique` counts each NaN, and `assert_array_equal` fails
# for an array and itself. `np.isnan`, `np.nanmax`, `array_equal(equal_nan=True)` and
# `assert_allclose` work:
#
#                                  bfloat16    float16
#     nansum([1, nan, 3])          nan         4
#     nanmean([1, nan, 3])         nan         2
#     nanmax([1, nan, 3])          3           3
#     sort([nan, 1, 0])            nan 0 1     0 1 nan
#     unique([nan, nan])           2 values    1 value
#     assert_array_equal           fails       passes
#
# Convert first: `np.nansum(x.astype("float32"))`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 ml_dtypes==0.6.0
"$folder/bin/python" -W ignore - <<'END'
import ml_dtypes
import numpy as np


def behavior(dtype):
    x = np.array([1, np.nan, 3], dtype)
    try:
        np.testing.assert_array_equal(x, x)
        equal = "passes"
    except AssertionError:
        equal = "fails"
    np.testing.assert_allclose(x.astype("float32"), x)
    assert np.array_equal(x, x, equal_nan=True)
    order = np.sort(np.array([np.nan, 1, 0], dtype)).astype("float32")
    numbers = [float(f(x)) for f in (np.nansum, np.nanmean, np.nanmax)]
    return numbers, order.tolist(), np.unique(np.array([np.nan] * 2, dtype)).size, equal


found = {np.dtype(dtype).name: behavior(dtype) for dtype in (ml_dtypes.bfloat16, np.float16)}
for name, row in found.items():
    print(name, *row)
nan = np.nan
want = {
    "bfloat16": ([nan, nan, 3], [nan, 0, 1], 2, "fails"),
    "float16": ([4, 2, 3], [0, 1, nan], 1, "passes"),
}
assert repr(found) == repr(
    {
        name: ([float(x) for x in numbers], [float(x) for x in order], count, equal)
        for name, (numbers, order, count, equal) in want.items()
    }
), "the behavior changed"
END
