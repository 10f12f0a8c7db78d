# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

def _copy(target: Any, source: Any) -> Any: ...
