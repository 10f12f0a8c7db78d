"""Devices, under MXNet's module name."""

from .base.context import Context as Context
from .base.context import cpu as cpu
from .base.context import cpu_pinned as cpu_pinned
from .base.context import current_context as current_context
from .base.context import gpu as gpu
from .base.context import num_gpus as num_gpus
from .base.module_aliases import add_aliases as _add_aliases

__all__ = ["Context", "cpu", "cpu_pinned", "current_context", "gpu", "num_gpus"]

_add_aliases(__name__)
