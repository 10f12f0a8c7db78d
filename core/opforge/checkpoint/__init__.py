"""Checkpoints that resume a training run exactly, and files of networks.

`CheckpointManager` saves parameters, optimizer, random state and the position in the data, and
restores the newest intact checkpoint; `ResumableLoader` tracks its position. The functions write
and read ``prefix-symbol.json`` and ``prefix-0001.params``, like MXNet's.
"""

from .manager import Checkpoint as Checkpoint
from .manager import CheckpointManager as CheckpointManager
from .model_files import load_checkpoint as load_checkpoint
from .model_files import load_params as load_params
from .model_files import read_params as read_params
from .model_files import save_checkpoint as save_checkpoint
from .model_files import write_params as write_params
from .random_state import get_random_state as get_random_state
from .random_state import set_random_state as set_random_state
from .resumable_loader import ResumableLoader as ResumableLoader
from .state_files import dump_state as dump_state
from .state_files import parse_state as parse_state

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "ResumableLoader",
    "dump_state",
    "get_random_state",
    "load_checkpoint",
    "load_params",
    "parse_state",
    "read_params",
    "save_checkpoint",
    "set_random_state",
    "write_params",
]
