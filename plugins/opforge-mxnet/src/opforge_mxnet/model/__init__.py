"""Interface of MXNet's `model`: checkpoints, `FeedForward`, updates through key-value stores."""

from opforge.checkpoint import load_checkpoint as load_checkpoint
from opforge.checkpoint import load_params as load_params
from opforge.checkpoint import read_params as read_params
from opforge.checkpoint import save_checkpoint as save_checkpoint
from opforge.checkpoint import write_params as write_params

from ..callback import BatchEndParam as BatchEndParam
from ..executor_manager import _check_arguments as _check_arguments
from ..feedforward import FeedForward as FeedForward
from ..names import add_names as _add_names
from ..parameter_updates import _create_kvstore as _create_kvstore
from ..parameter_updates import _initialize_kvstore as _initialize_kvstore
from ..parameter_updates import _update_params as _update_params
from ..parameter_updates import _update_params_on_kvstore as _update_params_on_kvstore

__all__ = [
    "BatchEndParam",
    "FeedForward",
    "load_checkpoint",
    "load_params",
    "read_params",
    "save_checkpoint",
    "write_params",
]

_add_names(__name__)
