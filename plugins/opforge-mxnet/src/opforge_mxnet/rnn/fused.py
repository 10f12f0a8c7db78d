"""`FusedRNNCell`: all steps, layers and directions in one operator, RNN of opforge-recurrent."""

import warnings
from collections.abc import Sequence
from typing import Any

from opforge import initializer
from opforge import ndarray as nd
from opforge import symbol as sym

from ..initializer.packed_rnn import GATES, PackedWeights
from .base import Arrays, BaseRNNCell, StateInfo
from .cells import GRUCell, LSTMCell, RNNCell
from .dropout import DropoutCell
from .parameters import RNNParams
from .sequences import arranged, as_sequence
from .stacks import BidirectionalCell, SequentialRNNCell

__all__ = ["FusedRNNCell"]


class FusedRNNCell(BaseRNNCell):
    """Layers of recurrent cells as one operator with one vector of weights.

    Parameters
    ----------
    num_hidden : int
    num_layers : int, default 1
    mode : {"lstm", "gru", "rnn_relu", "rnn_tanh"}
    bidirectional : bool, default False
    dropout : float, default 0.0
        Between layers.
    get_next_state : bool, default False
        Whether `unroll` returns the states after the last step.
    forget_bias : float, default 1.0
        Initial biases of an LSTM's forget gates.
    prefix : str, optional
        Default: `mode` and an underscore.
    params : RNNParams, optional
        See `BaseRNNCell`.
    """

    def __init__(
        self,
        num_hidden: int,
        num_layers: int = 1,
        mode: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        get_next_state: bool = False,
        forget_bias: float = 1.0,
        prefix: str | None = None,
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(f"{mode}_" if prefix is None else prefix, params)
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._bidirectional = bidirectional
        self._dropout = dropout
        self._get_next_state = get_next_state
        self._packed = PackedWeights(num_hidden, num_layers, mode, bidirectional, self._prefix)
        fill = initializer.FusedRNN(None, num_hidden, num_layers, mode, bidirectional, forget_bias)
        self._parameter = self._params.get("parameters", init=fill)

    @property
    def state_info(self) -> StateInfo:
        """Shape and layout of each state; the batch size is 0."""
        shape = ((1 + self._bidirectional) * self._num_layers, 0, self._num_hidden)
        n_states = 2 if self._mode == "lstm" else 1
        return [{"shape": shape, "__layout__": "LNC"} for _ in range(n_states)]

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATES[self._mode]

    def unpack_weights(self, args: Arrays) -> Arrays:
        """Return a copy of `args` with the packed weights split by gate."""
        args = dict(args)
        views = self._packed.views(args.pop(self._parameter.name))
        return {**args, **{name: view.copy() for name, view in views.items()}}

    def pack_weights(self, args: Arrays) -> Arrays:
        """Reverse `unpack_weights`."""
        args = dict(args)
        first = args[f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"]
        size = self._packed.size(first.shape[1])
        vector = nd.zeros((size,), ctx=first.context, dtype=first.dtype)
        for name, view in self._packed.views(vector).items():
            view[:] = args.pop(name)
        args[self._parameter.name] = vector
        return args

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Raise NotImplementedError: the operator runs all steps."""
        raise NotImplementedError("FusedRNNCell cannot be stepped. Please use unroll")

    def _unroll(
        self, length: int, inputs: Any, begin_state: Any, layout: str, merge_outputs: bool | None
    ) -> tuple[Any, Any]:
        axis = layout.find("T")
        assert axis in (0, 1), f"Unsupported layout {layout}"
        inputs = as_sequence(inputs, length, axis)
        if axis == 1:
            warnings.warn(
                "NTC layout detected. Consider using TNC for FusedRNNCell for faster speed",
                stacklevel=2,
            )
            inputs = sym.swapaxes(inputs, dim1=0, dim2=1)
        begin_state = self.begin_state() if begin_state is None else begin_state
        names = ("state", "state_cell") if self._mode == "lstm" else ("state",)
        found = sym.RNN(
            data=inputs,
            parameters=self._parameter,
            state_size=self._num_hidden,
            num_layers=self._num_layers,
            bidirectional=self._bidirectional,
            p=self._dropout,
            state_outputs=self._get_next_state,
            mode=self._mode,
            name=f"{self._prefix}rnn",
            **dict(zip(names, begin_state, strict=True)),
        )
        outputs, *states = list(found) if self._get_next_state else [found]
        for state in states:
            state._set_attr(__layout__="LNC")
        if axis == 1:
            outputs = sym.swapaxes(outputs, dim1=0, dim2=1)
        return arranged(outputs, length, axis, merge_outputs), states

    def unfuse(self) -> SequentialRNNCell:
        """Return equivalent cells that run step by step on unpacked weights."""
        stack = SequentialRNNCell()
        for layer in range(self._num_layers):
            cell = self._cell(f"{self._prefix}l{layer}_")
            if self._bidirectional:
                backward = self._cell(f"{self._prefix}r{layer}_")
                cell = BidirectionalCell(
                    cell, backward, output_prefix=f"{self._prefix}bi_l{layer}_"
                )
            stack.add(cell)
            if self._dropout > 0 and layer != self._num_layers - 1:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{layer}_"))
        return stack

    def _cell(self, prefix: str) -> BaseRNNCell:
        if self._mode == "lstm":
            return LSTMCell(self._num_hidden, prefix)
        if self._mode == "gru":
            return GRUCell(self._num_hidden, prefix)
        return RNNCell(self._num_hidden, self._mode.removeprefix("rnn_"), prefix)
