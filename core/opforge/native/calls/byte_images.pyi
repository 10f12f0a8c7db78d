# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def look_up_bytes(
    image: Array, tables: Array, top: int, left: int, height: int, width: int, mirrored: bool
) -> Any: ...
