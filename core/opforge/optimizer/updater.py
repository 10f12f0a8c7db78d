"""`Updater`: an optimizer with the states of the weights that it updates."""

import pickle
from collections.abc import Sequence
from typing import Any

from ..base.context import Context
from ..ndarray import NDArray
from .base import Optimizer
from .saved_states import CountedStates, read_states

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
        if not isinstance(index, list | tuple):
            self._update([index], [grad], [weight])
        elif len(weight) and all(one.context is weight[0].context for one in weight):
            self._update(list(index), list(grad), list(weight))
        else:
            for one in zip(index, grad, weight, strict=True):
                self._update(*([item] for item in one))

    def expect(self, indices: Sequence[Any], weights: Sequence[NDArray]) -> None:
        """Let learning rates be those of a step that updates all these weights, in several calls.

        Parameters
        ----------
        indices : list of int or str
        weights : list of NDArray
            All on one device.
        """
        if weights:
            self.optimizer._set_current_context(weights[0].context.device_id)
            self.optimizer._expect_updates(indices)

    def _update(self, indices: list[Any], grads: list[Any], weights: list[Any]) -> None:
        """Update weights that are all on one device."""
        optimizer, states = self.optimizer, self.states
        optimizer._set_current_context(weights[0].context.device_id)
        for place, index in enumerate(indices):
            if index not in states:
                states[index] = optimizer.create_state_multi_precision(index, weights[place])
        optimizer.update_weights(indices, weights, grads, [states[index] for index in indices])

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """Return `state` with its arrays on `context`."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, list | tuple):
            return type(state)(self.sync_state_context(s, context) for s in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """Return the states and the numbers of updates as a pickle.

        Parameters
        ----------
        dump_optimizer : bool, default False
            With the optimizer, whose settings then hold where they are loaded.
        """
        if dump_optimizer:
            return pickle.dumps((self.states, self.optimizer))
        return pickle.dumps(CountedStates(self.states, self.optimizer._all_index_update_counts))

    def set_states(self, states: bytes, trusted: bool = False) -> None:
        """Take what `get_states` returned, of opforge or of MXNet 1.x.

        Parameters
        ----------
        states : bytes
            A pickle of arrays, optimizers and schedulers.
        trusted : bool, default False
            Admit other classes and functions too; the pickle may run any code then.
        """
        loaded = read_states(states, trusted)
        if isinstance(loaded, tuple) and len(loaded) == 2:
            self.states, self.optimizer = loaded
        else:
            self.states = loaded
            if isinstance(loaded, CountedStates):
                self.optimizer._count_from(loaded.counts)


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an `Updater` for `optimizer`."""
    return Updater(optimizer)
