# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.calls.computation import Computation

class Block(_Blocking):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class Unblock(_Blocking):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class _Blocking(Computation):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def axis(self) -> Any: ...
