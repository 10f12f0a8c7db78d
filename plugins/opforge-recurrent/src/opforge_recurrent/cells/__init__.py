"""Recurrent cells, each of which computes one step as a composition of operators.

A cell is called step by step, or `unroll` runs complete sequences, on arrays and on symbols.
"""

from . import convolutional
from .base import HybridRecurrentCell, RecurrentCell
from .bidirectional import BidirectionalCell
from .dense import GRUCell, LSTMCell, RNNCell
from .dropout import DropoutCell
from .modifiers import ModifierCell, ResidualCell, ZoneoutCell
from .projected import LSTMPCell
from .stacks import HybridSequentialRNNCell, SequentialRNNCell
from .variational import VariationalDropoutCell

__all__ = ["CELLS"]

CELLS: list[type] = [
    BidirectionalCell,
    *convolutional.CELLS,
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
