"""Recurrent networks as symbols: MXNet's cells, which are unrolled into a graph.

`Module` and `BucketingModule` train them. `gluon.rnn` has layers and cells for Gluon.
"""

from ..names import add_names as _add_names
from . import io as io
from .base import BaseRNNCell as BaseRNNCell
from .cells import GRUCell as GRUCell
from .cells import LSTMCell as LSTMCell
from .cells import RNNCell as RNNCell
from .checkpoints import do_rnn_checkpoint as do_rnn_checkpoint
from .checkpoints import load_rnn_checkpoint as load_rnn_checkpoint
from .checkpoints import save_rnn_checkpoint as save_rnn_checkpoint
from .convolutional import BaseConvRNNCell as BaseConvRNNCell
from .convolutional import ConvGRUCell as ConvGRUCell
from .convolutional import ConvLSTMCell as ConvLSTMCell
from .convolutional import ConvRNNCell as ConvRNNCell
from .dropout import DropoutCell as DropoutCell
from .fused import FusedRNNCell as FusedRNNCell
from .io import BucketSentenceIter as BucketSentenceIter
from .io import encode_sentences as encode_sentences
from .modifiers import ModifierCell as ModifierCell
from .modifiers import ResidualCell as ResidualCell
from .modifiers import ZoneoutCell as ZoneoutCell
from .parameters import RNNParams as RNNParams
from .sequences import rnn_unroll as rnn_unroll
from .stacks import BidirectionalCell as BidirectionalCell
from .stacks import SequentialRNNCell as SequentialRNNCell

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "BucketSentenceIter",
    "ConvGRUCell",
    "ConvLSTMCell",
    "ConvRNNCell",
    "DropoutCell",
    "FusedRNNCell",
    "GRUCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RNNParams",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
    "do_rnn_checkpoint",
    "encode_sentences",
    "io",
    "load_rnn_checkpoint",
    "rnn_unroll",
    "save_rnn_checkpoint",
]

_add_names(__name__)
