"""`Updater`: an optimizer with the states of the weights that it updates."""

import pickle
from typing import Any

from ..base.context import Context
from ..ndarray import NDArray
from .base import Optimizer

__all__ = ["Updater", "get_updater"]


class Updater:
    """Updates weights by index and keeps their states.

    Parameters
    ----------
    optimizer : Optimizer
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Update `weight` in place.

        Parameters
        ----------
        index : int or str, or list of them
            Which weight it is.
        grad, weight : NDArray, or equally many in a list
        """
        if isinstance(index, list | tuple):
            for one in zip(index, grad, weight, strict=True):
                self._update(*one)
        else:
            self._update(index, grad, weight)

    def _update(self, index: Any, grad: NDArray, weight: NDArray) -> None:
        optimizer = self.optimizer
        optimizer._set_current_context(weight.context.device_id)
        try:
            state = self.states[index]
        except KeyError:
            state = self.states[index] = optimizer.create_state_multi_precision(index, weight)
        optimizer.update_multi_precision(index, weight, grad, state)

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """Return `state` with its arrays on `context`."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, list | tuple):
            return type(state)(self.sync_state_context(s, context) for s in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """Return the states, with the optimizer where `dump_optimizer`, as a pickle."""
        return pickle.dumps((self.states, self.optimizer) if dump_optimizer else self.states)

    def set_states(self, states: bytes) -> None:
        """Take what `get_states` returned. It is a pickle: load only what you trust."""
        loaded = pickle.loads(states)
        if isinstance(loaded, tuple) and len(loaded) == 2:
            self.states, self.optimizer = loaded
        else:
            self.states = loaded


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an `Updater` for `optimizer`."""
    return Updater(optimizer)
