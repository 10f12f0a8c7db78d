# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

REDUCTIONS: dict[Any, Any]
def reduce(name: str, x: Array, out: Array, axes: tuple[Any, ...]=..., req: Any=...) -> Any: ...
def repeat_grad(dy: Array, out: Array, repeats: int, axis: Any=..., req: Any=...) -> Any: ...
def tile_grad(dy: Array, out: Array, reps: tuple[Any, ...], req: Any=...) -> Any: ...
