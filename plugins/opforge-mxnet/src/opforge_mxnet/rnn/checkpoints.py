"""Checkpoints with the weights of cells split by gate."""

from collections.abc import Callable, Sequence
from typing import Any

from opforge.checkpoint import load_checkpoint, save_checkpoint

from .base import Arrays, BaseRNNCell

__all__ = ["do_rnn_checkpoint", "load_rnn_checkpoint", "save_rnn_checkpoint"]

_Cells = BaseRNNCell | Sequence[BaseRNNCell]


def _as_list(cells: _Cells) -> Sequence[BaseRNNCell]:
    return [cells] if isinstance(cells, BaseRNNCell) else cells


def save_rnn_checkpoint(
    cells: _Cells, prefix: str, epoch: int, symbol: Any, arg_params: Arrays, aux_params: Arrays
) -> None:
    """Write a network and its parameters, with the weights of cells unpacked.

    Parameters
    ----------
    cells : BaseRNNCell or list of BaseRNNCell
        The cells that `symbol` was made with.
    prefix, epoch, symbol, arg_params, aux_params
        As for `model.save_checkpoint`.
    """
    for cell in _as_list(cells):
        arg_params = cell.unpack_weights(arg_params)
    save_checkpoint(prefix, epoch, symbol, arg_params, aux_params)


def load_rnn_checkpoint(cells: _Cells, prefix: str, epoch: int) -> tuple[Any, Arrays, Arrays]:
    """Load a checkpoint of `save_rnn_checkpoint` and pack the weights of `cells`.

    Cells that have been fused or unfused since can load it, too.

    Parameters
    ----------
    cells : BaseRNNCell or list of BaseRNNCell
    prefix, epoch
        As for `model.load_checkpoint`.

    Returns
    -------
    Symbol, dict of str to NDArray, dict of str to NDArray
        The network, its arguments and its auxiliary states.
    """
    symbol, arguments, states = load_checkpoint(prefix, epoch)
    for cell in _as_list(cells):
        arguments = cell.pack_weights(arguments)
    return symbol, arguments, states


def do_rnn_checkpoint(cells: _Cells, prefix: str, period: int = 1) -> Callable[..., None]:
    """Return an ``epoch_end_callback`` that calls `save_rnn_checkpoint` every `period` epochs."""
    period = max(1, int(period))

    def save(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            save_rnn_checkpoint(cells, prefix, iter_no + 1, sym, arg, aux)

    return save
