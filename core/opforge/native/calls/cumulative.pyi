# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def cumsum(x: Array, out: Array, axis: Any=..., from_end: bool=..., req: Any=...) -> Any: ...
