"""`FusedRNN`: initializer of the packed weights of a recurrent network."""

from typing import Any

from opforge.initializer import InitDesc, Initializer, create
from opforge.ndarray import NDArray

from .packed_rnn import PackedWeights

__all__ = ["FusedRNN"]


class FusedRNN(Initializer):
    """Fill the packed weights of `rnn.FusedRNNCell` gate by gate.

    Parameters
    ----------
    init : Initializer or str or None
        Initializer of each gate's weights; None: the one that initializes the network.
    num_hidden, num_layers : int
    mode : {"rnn_relu", "rnn_tanh", "lstm", "gru"}
    bidirectional : bool, default False
        As in the cell.
    forget_bias : float, default 1.0
        Bias of an LSTM's forget gates.
    """

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        self._init = None if init is None else create(init)
        super().__init__(
            init=None if self._init is None else self._init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        self._packed = PackedWeights(num_hidden, num_layers, mode, bidirectional)
        self._forget_bias = forget_bias

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        fallback = getattr(desc, "global_init", None)
        initializer = self._init or fallback
        if initializer is None:
            raise ValueError(
                f"FusedRNN: {str(desc)!r} has no initializer; pass init=..., or initialize the "
                "network with an initializer"
            )
        for name, part in self._packed.views(arr).items():
            if name.endswith("_f_bias"):
                part[:] = self._forget_bias
            else:
                initializer(InitDesc(name, global_init=fallback), part)
