# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

EPILOGUES: tuple[Any, ...]
N_BINARY: int
