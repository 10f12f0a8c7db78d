"""Cells: one step of a recurrent network each, as compositions of operators.

A cell is called step by step, or `unroll`s whole sequences; both work on arrays and on symbols.
"""

from .base import HybridRecurrentCell, RecurrentCell
from .bidirectional import BidirectionalCell
from .convolutional import (
    Conv1DGRUCell,
    Conv1DLSTMCell,
    Conv1DRNNCell,
    Conv2DGRUCell,
    Conv2DLSTMCell,
    Conv2DRNNCell,
    Conv3DGRUCell,
    Conv3DLSTMCell,
    Conv3DRNNCell,
)
from .dense import GRUCell, LSTMCell, RNNCell
from .dropout import DropoutCell
from .modifiers import ModifierCell, ResidualCell, ZoneoutCell
from .projected import LSTMPCell
from .stacks import HybridSequentialRNNCell, SequentialRNNCell
from .variational import VariationalDropoutCell

__all__ = ["CELLS"]

CELLS: list[type] = [
    BidirectionalCell,
    Conv1DGRUCell,
    Conv1DLSTMCell,
    Conv1DRNNCell,
    Conv2DGRUCell,
    Conv2DLSTMCell,
    Conv2DRNNCell,
    Conv3DGRUCell,
    Conv3DLSTMCell,
    Conv3DRNNCell,
    DropoutCell,
    GRUCell,
    HybridRecurrentCell,
    HybridSequentialRNNCell,
    LSTMCell,
    LSTMPCell,
    ModifierCell,
    RNNCell,
    RecurrentCell,
    ResidualCell,
    SequentialRNNCell,
    VariationalDropoutCell,
    ZoneoutCell,
]
