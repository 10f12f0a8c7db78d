# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def argreduce(name: str, x: Array, out: Array, axis: Any=..., req: Any=...) -> Any: ...
