#!/bin/sh
# With SciPy 1.17.1's array API support switched on, scipy.linalg still returns NumPy arrays.
#
# SCIPY_ARRAY_API=1 makes scipy.special and scipy.fft return the type of their input. The
# decompositions and solvers of scipy.linalg accept foreign arrays too, but convert them:
#
#     scipy.special.expit(x)   array_api_strict Array
#     scipy.linalg.inv(x)      numpy.ndarray
#
# A program written for the array API then continues with arrays of another library. Convert the
# results of scipy.linalg with `xp.asarray`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 scipy==1.17.1 array-api-strict==2.6.1
SCIPY_ARRAY_API=1 "$folder/bin/python" - <<'END'
import array_api_strict as xp
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.special

x = xp.eye(2)
kept = {
    "special.expit": scipy.special.expit(x),
    "fft.fft": scipy.fft.fft(xp.astype(x, xp.complex128)),
}
converted = {
    "linalg.inv": scipy.linalg.inv(x),
    "linalg.solve": scipy.linalg.solve(x, x),
    "linalg.cholesky": scipy.linalg.cholesky(x),
    "linalg.svd": scipy.linalg.svd(x)[0],
    "linalg.qr": scipy.linalg.qr(x)[0],
    "linalg.expm": scipy.linalg.expm(x),
}
for name, result in {**kept, **converted}.items():
    print(f"{name}: {type(result).__module__}.{type(result).__name__}")
assert all(type(result) is type(x) for result in kept.values()), "special and fft keep the type"
assert all(type(result) is np.ndarray for result in converted.values()), "the behavior changed"
END
