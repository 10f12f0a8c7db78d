# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

class Programs:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def n_forward(self) -> Any: ...
    @property
    def n_made(self) -> Any: ...
