"""Conversion of recurrent layers to equivalent cells."""

from typing import Any

from .cells.bidirectional import BidirectionalCell
from .cells.dense import GRUCell, LSTMCell, RNNCell
from .cells.dropout import DropoutCell
from .cells.projected import LSTMPCell
from .cells.stacks import HybridSequentialRNNCell

__all__ = ["unfused"]


def unfused(layer: Any) -> HybridSequentialRNNCell:
    """Return a stack of cells with the parameters of a recurrent layer.

    Parameters
    ----------
    layer : gluon.rnn.RNN, LSTM or GRU
    """
    assert all(not value for value in layer._clipping.values()), (
        f"_unfuse does not support state clipping yet! {layer.name} clips with {layer._clipping}"
    )
    stack = HybridSequentialRNNCell(prefix=layer.prefix, params=layer.params)
    input_size = layer._input_size
    with stack.name_scope():
        for at in range(layer._num_layers):
            cells = [_cell(layer, f"{side}{at}_", input_size) for side in layer._directions]
            stack.add(cells[0] if len(cells) == 1 else BidirectionalCell(*cells))
            if layer._dropout > 0 and at != layer._num_layers - 1:
                stack.add(DropoutCell(layer._dropout))
            input_size = (layer._projection_size or layer._hidden_size) * layer._dir
    return stack


def _cell(layer: Any, prefix: str, input_size: int) -> Any:
    """Return the cell of one layer and direction."""
    arguments = {**layer._initializers, "input_size": input_size, "prefix": prefix}
    if layer._projection_size:
        return LSTMPCell(layer._hidden_size, layer._projection_size, **arguments)
    del arguments["h2r_weight_initializer"]
    if layer._mode == "lstm":
        return LSTMCell(layer._hidden_size, **arguments)
    if layer._mode == "gru":
        return GRUCell(layer._hidden_size, **arguments)
    return RNNCell(layer._hidden_size, layer._mode.removeprefix("rnn_"), **arguments)
