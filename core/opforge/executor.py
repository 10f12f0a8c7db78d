"""Public face of MXNet's `executor`."""

from .base.mxnet_names import add_mxnet_names as _add_mxnet_names
from .symbol.executor import Executor as Executor

__all__ = ["Executor"]

_add_mxnet_names(__name__)
