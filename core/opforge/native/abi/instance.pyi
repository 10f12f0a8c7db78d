# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

class ForeignInstance:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def operator(self) -> Any: ...
