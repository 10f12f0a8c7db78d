#!/bin/sh
# mpi4py 4.1.2 reduces arrays of float16, but not of bfloat16.
#
# `Allreduce` finds the type of an array by the buffer protocol, then by DLPack. NumPy arrays of
# ml_dtypes' bfloat16 have neither, so the call fails before MPI sees the data, with a message
# about DLPack:
#
#     BufferError: DLPack only supports signed/unsigned integers, float and complex dtypes.
#
# MPI itself has no type for bfloat16 either. Sum gradients in float32, or send `x.view("uint16")`
# and add after receiving. One process suffices to see it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 ml_dtypes==0.6.0 mpi4py==4.1.2 mpich==5.0.2
"$folder/bin/python" - <<'END'
import ml_dtypes
import numpy as np
from mpi4py import MPI

half = np.empty(2, np.float16)
MPI.COMM_WORLD.Allreduce(np.ones(2, np.float16), half)
print("float16:", half)
assert half.tolist() == [1, 1]
brain = np.ones(2, ml_dtypes.bfloat16)
try:
    MPI.COMM_WORLD.Allreduce(brain, np.empty_like(brain))
except BufferError as error:
    print("bfloat16:", error)
    assert "DLPack" in str(error), "the message changed"
else:
    raise AssertionError("the behavior changed: bfloat16 is reduced")
END
