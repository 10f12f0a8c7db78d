# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

def update_weights(
    rule: str,
    weights: list[Any],
    grads: list[Any],
    states: list[Any],
    lrs: list[Any],
    wds: list[Any],
    rescale: float=...,
    clip: float=...,
    a: float=...,
    b: float=...,
    epsilon: float=...,
    limit: float=...,
    outs: list[Any] | None=...,
    rounded: list[Any] | None=...,
    corrections: list[Any] | None=...,
) -> Any: ...
