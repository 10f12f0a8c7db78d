"""`Updater`: an optimizer with the states of its weights."""

import pickle
from collections.abc import Sequence
from typing import Any

from ..base.context import Context
from ..ndarray import NDArray
from .base import Optimizer
from .saved_states import CountedStates, read_states

__all__ = ["Updater", "get_updater"]


class Updater:
    """Optimizer that updates weights by index and stores their states.

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
            Index of the weight.
        grad, weight : NDArray, or list of the same length
        """
        if not isinstance(index, list | tuple):
            self._update([index], [grad], [weight])
            return
        if not len(weight):  # all parameters of a step may be sparse and updated elsewhere
            return
        device = weight[0].context
        for one in weight:
            if one.context is not device:
                break
        else:
            self._update([*index], [*grad], [*weight])
            return
        for single in zip(index, grad, weight, strict=True):
            self._update(*([item] for item in single))

    def expect(self, indices: Sequence[Any], weights: Sequence[NDArray]) -> None:
        """Count a step in advance whose weights are updated in several calls, for equal rates.

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
        """Update weights that are all on the same device."""
        optimizer, states = self.optimizer, self.states
        optimizer._set_current_context(weights[0].context.device_id)
        found = []
        for index, weight in zip(indices, weights, strict=True):
            if index not in states:
                states[index] = optimizer.create_state_multi_precision(index, weight)
            found.append(states[index])
        optimizer.update_weights(indices, weights, grads, found)

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """Return `state` with its arrays on `context`."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, list | tuple):
            return type(state)(self.sync_state_context(s, context) for s in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """Return the states and the update counts as a pickle.

        Parameters
        ----------
        dump_optimizer : bool, default False
            Include the optimizer, whose settings are restored with the states.
        """
        if dump_optimizer:
            return pickle.dumps((self.states, self.optimizer))
        return pickle.dumps(CountedStates(self.states, self.optimizer._all_index_update_counts))

    def set_states(self, states: bytes, trusted: bool = False) -> None:
        """Restore the result of `get_states`, from opforge or MXNet 1.x.

        Parameters
        ----------
        states : bytes
            A pickle of arrays, optimizers and schedulers.
        trusted : bool, default False
            Allow other classes and functions; the pickle may then run arbitrary code.
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
