# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def expect_labels(operator: str, label: Array, classes: int, ignored: Any=...) -> Any: ...
