# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def layer_norm(
    x: Array,
    gamma: Array,
    beta: Array,
    out: Array,
    mean: Array,
    std: Array,
    axis: Any=...,
    eps: float=...,
    req: Any=...,
) -> Any: ...
def layer_norm_grad(
    dy: Array,
    x: Array,
    gamma: Array,
    mean: Array,
    std: Array,
    dx: Array,
    dgamma: Array,
    dbeta: Array,
    axis: Any=...,
    reqs: Any=...,
) -> Any: ...
