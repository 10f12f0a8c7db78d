# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.graph.steps import Step

class FusedStep(Step):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
MOST_OPERANDS: int
MOST_REGISTERS: int
