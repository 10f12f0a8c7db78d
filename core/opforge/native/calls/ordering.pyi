# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def order(
    x: Array,
    axis: Any,
    is_ascend: bool,
    values: Array | None=...,
    places: Array | None=...,
    values_req: Any=...,
    places_req: Any=...,
) -> Any: ...
