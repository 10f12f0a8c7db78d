#!/bin/sh
# PyTorch 2.13.0's `torch.asarray` reads any object with a buffer as flat float32 values.
#
# It prefers the buffer protocol to DLPack and to `__array__`, and asks for bytes without their
# type. An array of Python's standard library shows it; `torch.as_tensor` and `torch.tensor` read
# the elements one by one:
#
#     torch.asarray(array("i", [1, 2]))    tensor([1.4013e-45, 2.8026e-45])
#     torch.as_tensor(array("i", [1, 2]))  tensor([1, 2])
#
# An array type that must not be misread refuses requests for bytes without a format or a shape:
# `torch.asarray` then raises an error. Use `torch.from_dlpack`. (The installation is large.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 torch==2.13.0
"$folder/bin/python" - <<'END'
from array import array

import torch

numbers = array("i", [1, 2])
misread, read = torch.asarray(numbers), torch.as_tensor(numbers)
print("asarray:  ", misread)
print("as_tensor:", read)
assert misread.dtype == torch.float32, "the behavior changed"
assert misread.view(torch.int32).tolist() == [1, 2], "the behavior changed"
assert read.tolist() == [1, 2], "the behavior changed"
END
