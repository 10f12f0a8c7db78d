# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.graph.fused import FusedStep

class FusedReduction(FusedStep):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
MOST_FOLDS: int
REDUCTIONS: dict[Any, Any]
