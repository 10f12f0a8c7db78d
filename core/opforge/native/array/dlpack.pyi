# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

class NumpySource:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
def numpy_from_dlpack(source: Any) -> Any: ...
