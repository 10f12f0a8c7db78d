"""Which operators a graph of mixed precision computes in which type; see `symbol_fp16`."""

from . import symbol_fp16 as symbol_fp16

__all__ = ["symbol_fp16"]
