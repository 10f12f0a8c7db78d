# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

import numpy as np

from opforge.native.array.array import Array

SHAPE_EVERYWHERE: list[Any]
SHAPE_HERE: Any
def are_positions(indices: Array, rows: int) -> Any: ...
def read_adjacent(x: Array, key: Any) -> Any: ...
def row_positions(indices: np.ndarray[Any, Any], rows: int, context: Any) -> Any: ...
def write_adjacent(x: Array, key: Any, value: Any) -> Any: ...
