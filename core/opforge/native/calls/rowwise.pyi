# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def softmax(
    x: Array,
    out: Array,
    axis: Any=...,
    temperature: float=...,
    log: bool=...,
    negate: bool=...,
    req: Any=...,
) -> Any: ...
def softmax_grad(
    dy: Array,
    y: Array,
    out: Array,
    axis: Any=...,
    temperature: float=...,
    log: bool=...,
    negate: bool=...,
    req: Any=...,
) -> Any: ...
