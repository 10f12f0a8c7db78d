# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def batch_dot(
    a: Array, b: Array, out: Array, transpose_a: bool=..., transpose_b: bool=..., req: Any=...
) -> Any: ...
def gemm(
    a: Array,
    b: Array,
    out: Array,
    transpose_a: bool=...,
    transpose_b: bool=...,
    alpha: float=...,
    bias: Array | None=...,
    req: Any=...,
) -> Any: ...
