# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.calls.computation import Computation
from opforge.native.calls.epilogue import Epilogue

class Dense(Computation):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def with_epilogue(self, epilogue: Epilogue) -> Any: ...
class Dot(Computation):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def with_epilogue(self, epilogue: Epilogue) -> Any: ...
EPILOGUES: tuple[Any, ...]
