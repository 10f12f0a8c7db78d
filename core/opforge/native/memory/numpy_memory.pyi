# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

class Former:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
