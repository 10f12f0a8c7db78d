"""Lists of operators by their dtype in mixed precision; see `symbol_fp16`."""

from . import symbol_fp16 as symbol_fp16

__all__ = ["symbol_fp16"]
