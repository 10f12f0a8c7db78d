"""Steps of the recurrent cells, shared by cells with dense and with convolutional gates."""

from collections.abc import Sequence
from typing import Any

from opforge import symbol as sym

from ..initializer.packed_rnn import GATES
from .base import BaseRNNCell, StateInfo

__all__ = ["ElmanCell", "GRUStepCell", "GatedCell", "LSTMStepCell"]


class GatedCell(BaseRNNCell):
    """Base of cells whose step starts with products of the input and of the state."""

    _activation: Any = "tanh"
    _channel_axis = 1

    def _products(self, inputs: Any, state: Any, name: str) -> tuple[Any, Any]:
        """Return the products of all gates with the input and with the state."""
        raise NotImplementedError

    def _step(self, i2h: Any, h2h: Any, states: Sequence[Any], name: str) -> tuple[Any, list[Any]]:
        """Compose the rest of a step; node names start with `name`."""
        raise NotImplementedError

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        name = self._next_name()
        i2h, h2h = self._products(inputs, states[0], name)
        return self._step(i2h, h2h, states, name)


class ElmanCell(GatedCell):
    """Base of cells whose output is the activation of the sum of the products."""

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATES["rnn_tanh"]

    def _step(self, i2h: Any, h2h: Any, states: Sequence[Any], name: str) -> tuple[Any, list[Any]]:
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LSTMStepCell(GatedCell):
    """Base of long short-term memory cells; the gates are input, forget, candidate, output."""

    @property
    def state_info(self) -> StateInfo:
        """Shape and layout of each state; the batch size is 0."""
        return [*super().state_info, *super().state_info]

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATES["lstm"]

    def _step(self, i2h: Any, h2h: Any, states: Sequence[Any], name: str) -> tuple[Any, list[Any]]:
        gates = sym.SliceChannel(
            i2h + h2h, num_outputs=4, axis=self._channel_axis, name=f"{name}slice"
        )
        in_gate = sym.Activation(gates[0], act_type="sigmoid", name=f"{name}i")
        forget_gate = sym.Activation(gates[1], act_type="sigmoid", name=f"{name}f")
        candidate = self._get_activation(gates[2], self._activation, name=f"{name}c")
        out_gate = sym.Activation(gates[3], act_type="sigmoid", name=f"{name}o")
        next_c = sym.elemwise_add(forget_gate * states[1], in_gate * candidate, name=f"{name}state")
        activated = self._get_activation(next_c, self._activation)
        next_h = sym.elemwise_mul(out_gate, activated, name=f"{name}out")
        return next_h, [next_h, next_c]


class GRUStepCell(GatedCell):
    """Base of gated recurrent units; the reset gate follows the product with the state."""

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATES["gru"]

    def _step(self, i2h: Any, h2h: Any, states: Sequence[Any], name: str) -> tuple[Any, list[Any]]:
        axis = self._channel_axis
        i2h_r, i2h_z, i2h = sym.SliceChannel(
            i2h, num_outputs=3, axis=axis, name=f"{name}_i2h_slice"
        )
        h2h_r, h2h_z, h2h = sym.SliceChannel(
            h2h, num_outputs=3, axis=axis, name=f"{name}_h2h_slice"
        )
        reset = sym.Activation(i2h_r + h2h_r, act_type="sigmoid", name=f"{name}_r_act")
        update = sym.Activation(i2h_z + h2h_z, act_type="sigmoid", name=f"{name}_z_act")
        candidate = self._get_activation(i2h + reset * h2h, self._activation, name=f"{name}_h_act")
        output = sym.elemwise_add((1.0 - update) * candidate, update * states[0], name=f"{name}out")
        return output, [output]
