# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

def is_instance(cls: Any, instance: Any) -> Any: ...
