# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.array.array import Array

def pack_two_bits(x: Array, rest: Array, words: Array, threshold: float=...) -> Any: ...
def unpack_two_bits(words: Array, out: Array, threshold: float=..., req: Any=...) -> Any: ...
