# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

EPILOGUES: tuple[Any, ...]
class Epilogue:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def n_operands(self) -> Any: ...
MAX_EARLIER: int
MAX_LENGTH: int
N_BINARY: int
