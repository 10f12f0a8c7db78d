# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def flip(x: Array, out: Array, axes: tuple[Any, ...], req: Any=...) -> Any: ...
def slice_array(
    x: Array, out: Array, begin: tuple[Any, ...], step: tuple[Any, ...], req: Any=...
) -> Any: ...
def slice_assign(
    dst: Array,
    src: Any,
    begin: tuple[Any, ...],
    step: tuple[Any, ...],
    shape: tuple[Any, ...] | None=...,
) -> Any: ...
def slice_grad(
    dy: Array, out: Array, begin: tuple[Any, ...], step: tuple[Any, ...], req: Any=...
) -> Any: ...
