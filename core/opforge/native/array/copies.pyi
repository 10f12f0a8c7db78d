# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def copy_into(target: Array, source: Array) -> Any: ...
def take_over(target: Array, source: Array) -> Any: ...
