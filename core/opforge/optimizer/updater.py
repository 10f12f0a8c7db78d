"""`Updater`: an optimizer with the states of its weights."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.context import Context
from ..ndarray import NDArray
from .base import Optimizer
from .mxnet_pickle import dump_pickle
from .pickled_data import StatesError
from .saved_states import read_states
from .state_files import dump_states

__all__ = ["Updater", "get_updater", "restore_states", "saved_content"]


class Updater:
    """Optimizer that updates weights by index and stores their states.

    Parameters
    ----------
    optimizer : Optimizer
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}
        #: Indices of loaded states that are still to be moved to the context of their weight.
        self._loaded: set[Any] = set()

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
            elif index in self._loaded:
                states[index] = self.sync_state_context(states[index], weight.context)
                self._loaded.discard(index)
            found.append(states[index])
        optimizer.update_weights(indices, weights, grads, found)

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """Return `state` with its arrays on `context`."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, dict):
            return {key: self.sync_state_context(s, context) for key, s in state.items()}
        if isinstance(state, list | tuple):
            return type(state)(self.sync_state_context(s, context) for s in state)
        return state

    def get_states(self, dump_optimizer: bool = False, pickled: bool = False) -> bytes:
        """Return the states and the update counts as the content of a file.

        Parameters
        ----------
        dump_optimizer : bool, default False
            Include the optimizer, whose settings are restored with the states.
        pickled : bool, default False
            Return MXNet's format, a pickle that MXNet 1.x reads. Without the optimizer, it does not
            contain the update counts.

        Raises
        ------
        TypeError
            A state or setting is an object that the format cannot hold.
        """
        return saved_content([self], dump_optimizer, pickled)

    def set_states(
        self, states: bytes, trusted: bool = False, weights: Mapping[Any, Any] | None = None
    ) -> None:
        """Restore the result of `get_states`, from opforge or MXNet 1.x.

        Nothing changes if the states cannot be restored.

        Parameters
        ----------
        states : bytes
        trusted : bool, default False
            Allow all classes and functions that a pickle names; it may then run arbitrary code.
        weights : dict of (int or str) to (NDArray or None), optional
            All weights by index, which the states must fit; None for one without a shape yet.

        Raises
        ------
        StatesError
            The bytes are not states, are damaged, or do not fit the weights. It is an
            `OpforgeError` and a `pickle.UnpicklingError`.
        """
        restore_states([self], states, trusted, weights)


def saved_content(
    updaters: Sequence[Updater], dump_optimizer: bool = False, pickled: bool = False
) -> bytes:
    """Return the states of updaters, one for each context, that share an optimizer.

    Parameters
    ----------
    updaters : sequence of Updater
    dump_optimizer, pickled
        As for `Updater.get_states`.

    Raises
    ------
    TypeError
        As for `Updater.get_states`.
    ValueError
        `pickled` is True, and there are several updaters.
    """
    optimizer, states = updaters[0].optimizer, [updater.states for updater in updaters]
    if not pickled:
        return dump_states(states, optimizer, dump_optimizer)
    if len(states) > 1:
        raise ValueError(
            f"get_states: MXNet's format holds the states of one context, got {len(states)}. Save "
            "with pickled=False"
        )
    return dump_pickle((*states, optimizer.to_save()) if dump_optimizer else states[0])


def restore_states(
    updaters: Sequence[Updater],
    content: bytes,
    trusted: bool = False,
    weights: Mapping[Any, Any] | None = None,
) -> None:
    """Restore the states of updaters, one for each context, that share an optimizer.

    Parameters
    ----------
    updaters : sequence of Updater
    content, trusted, weights
        As for `Updater.set_states`.

    Raises
    ------
    StatesError
        As for `Updater.set_states`.
    """
    if not updaters:
        return
    loaded = read_states(content, updaters[0].optimizer, weights, trusted)
    sets = loaded.states
    if len(sets) == 1:
        sets = [*sets, *(copy.deepcopy(sets[0]) for _ in updaters[1:])]
    if len(sets) != len(updaters):
        raise StatesError(
            f"the file contains the states of {len(sets)} contexts, expected {len(updaters)}. "
            "Initialize the parameters on as many contexts as before"
        )
    optimizer = loaded.optimizer or updaters[0].optimizer
    if loaded.counts is not None:
        optimizer._count_from(loaded.counts)
    for updater, states in zip(updaters, sets, strict=True):
        updater.optimizer = optimizer
        updater.states = states
        updater._loaded = set(states)


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an `Updater` for `optimizer`."""
    return Updater(optimizer)
