"""Public face of MXNet's `executor`."""

from .executor_manager import _check_arguments as _check_arguments
from .executor_manager import _load_data as _load_data
from .executor_manager import _load_label as _load_label
from .executor_manager import _split_input_slice as _split_input_slice
from .symbol.executor import Executor as Executor

__all__ = ["Executor"]
