"""Public face of MXNet's `executor`."""

from .base.mxnet_names import add_mxnet_names as _add_mxnet_names
from .executor_manager import _check_arguments as _check_arguments
from .executor_manager import _load_data as _load_data
from .executor_manager import _load_label as _load_label
from .executor_manager import _split_input_slice as _split_input_slice
from .symbol.executor import Executor as Executor

__all__ = ["Executor"]

_add_mxnet_names(__name__)
