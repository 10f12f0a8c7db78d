# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def batch_norm(
    x: Array,
    gamma: Array,
    beta: Array,
    mean: Array,
    var: Array,
    out: Array,
    axis: Any=...,
    eps: float=...,
    req: Any=...,
    blocked: bool=...,
) -> Any: ...
def batch_norm_grad(
    dy: Array,
    x: Array,
    gamma: Array,
    mean: Array,
    var: Array,
    dx: Array,
    dgamma: Array,
    dbeta: Array,
    axis: Any=...,
    eps: float=...,
    use_global_stats: bool=...,
    reqs: Any=...,
    blocked: bool=...,
) -> Any: ...
def moments(x: Array, mean: Array, var: Array, axes: tuple[Any, ...]=...) -> Any: ...
