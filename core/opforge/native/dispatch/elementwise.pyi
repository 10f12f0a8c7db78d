# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.dispatch.tape import Rule

class ElementwiseRule(Rule):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
def set_namespace(module: Any) -> Any: ...
def watch_kernel(kernel: str, code: int, value: Any=...) -> Any: ...
