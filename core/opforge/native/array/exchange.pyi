# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

import numpy as np

from opforge.native.array.array import Array

def numpy_alias(a: Array) -> Any: ...
def wrap_numpy(source: np.ndarray[Any, Any], context: Any=...) -> Any: ...
