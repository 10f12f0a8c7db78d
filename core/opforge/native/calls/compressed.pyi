# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def csr_dot(data: Array, indices: Array, indptr: Array, dense: Array, out: Array) -> Any: ...
def csr_transpose(indices: Array, indptr: Array, columns: int) -> Any: ...
