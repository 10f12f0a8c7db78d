# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

MEMORY: str
def add_memory(capsule: Any, source: str) -> Any: ...
