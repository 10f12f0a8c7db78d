"""Executors, under MXNet's module name."""

from .base.module_aliases import add_aliases as _add_aliases
from .symbol.executor import Executor as Executor

__all__ = ["Executor"]

_add_aliases(__name__)
