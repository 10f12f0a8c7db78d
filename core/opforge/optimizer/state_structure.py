"""Check of loaded states against those that an optimizer creates for the weights."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import autograd
from ..ndarray import NDArray
from .base import Optimizer
from .pickled_data import StatesError

__all__ = ["expect_states"]

_NUMBER = (int, float, np.number, np.bool_)


def expect_states(
    states: Mapping[Any, Any],
    optimizer: Optimizer,
    weights: Mapping[Any, Any] | None,
    allow_objects: bool = False,
) -> None:
    """Raise an error if states are not arrays and numbers, or do not fit the weights.

    Parameters
    ----------
    states : dict
        State of each weight by its index.
    optimizer : Optimizer
    weights : dict of (int or str) to (NDArray or None), or None
        All weights by index; None for one without a shape yet. Without them, only the types of
        states are checked.
    allow_objects : bool, default False
        Allow states of a program's own classes.

    Raises
    ------
    StatesError
        An index is not that of a weight, or a state has another structure, shape or type.
    """
    for index, state in states.items():
        if not isinstance(index, int | str):
            raise StatesError(
                f"the saved states have a {type(index).__name__} as an index, expected int or str"
            )
        if not allow_objects:
            _expect_state(index, state, set())
    if weights is None:
        return
    unknown = [index for index in states if index not in weights]
    if unknown:
        raise StatesError(
            f"the saved states are for the weights {_index_list(states)}, expected a subset of "
            f"{_index_list(weights)}. Load states of the same network"
        )
    for index, state in states.items():
        if weights[index] is not None:
            _compare(index, state, _expected_state(optimizer, index, weights[index]), optimizer)


def _index_list(indices: Mapping[Any, Any]) -> str:
    names = sorted(map(str, indices))
    return ", ".join(names[:8]) + (f", ... ({len(names)})" if len(names) > 8 else "")


def _expect_state(index: Any, state: Any, seen: set[int]) -> None:
    """Reject data that no optimizer stores; shared containers are visited once."""
    if id(state) in seen:
        return
    seen.add(id(state))
    if isinstance(state, dict):
        state = [*state.values()]
    if isinstance(state, list | tuple):
        for part in state:
            _expect_state(index, part, seen)
    elif state is not None and not isinstance(state, (NDArray, np.ndarray, *_NUMBER)):
        raise StatesError(
            f"the saved state of weight {index!r:.40} contains a {type(state).__name__}; expected "
            "arrays, numbers, None, or tuples, lists and dicts of them"
        )


def _expected_state(optimizer: Optimizer, index: Any, weight: Any) -> Any:
    """Return a new state of a weight."""
    with autograd.pause(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about precision: given when training began
        return optimizer.create_state_multi_precision(index, weight)


def _compare(index: Any, found: Any, expected: Any, optimizer: Optimizer) -> None:
    """Reject a state with another structure than a new one."""
    if not _fits(found, expected):
        raise StatesError(
            f"the saved state of weight {index!r:.40} is {_describe(found)}; "
            f"{type(optimizer).__name__} expects {_describe(expected)}. Load states of the same "
            "network, optimizer and settings"
        )


def _fits(found: Any, expected: Any) -> bool:
    if isinstance(expected, NDArray):
        return isinstance(found, NDArray) and _array_facts(found) == _array_facts(expected)
    if isinstance(expected, np.ndarray):
        return isinstance(found, np.ndarray) and found.shape == expected.shape
    if isinstance(expected, tuple):
        return (
            isinstance(found, list | tuple)
            and len(found) == len(expected)
            and all(map(_fits, found, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(_fits(found[key], expected[key]) for key in expected)
        )
    if isinstance(expected, list):  # may grow, such as a history
        return isinstance(found, list)
    if expected is None:
        return found is None
    return isinstance(found, _NUMBER) or not isinstance(expected, _NUMBER)


def _array_facts(array: Any) -> tuple[Any, ...]:
    return array.shape, np.dtype(array.dtype), array.stype


def _describe(state: Any) -> str:
    if isinstance(state, NDArray):
        shape, dtype, stype = _array_facts(state)
        return f"an array of shape {shape} and type {dtype}" + (
            f" ({stype})" if stype != "default" else ""
        )
    if isinstance(state, list | tuple) and len(state) <= 4:
        if any(isinstance(part, list | tuple) for part in state):
            return f"a {type(state).__name__} of {len(state)} items"
        return f"({', '.join(map(_describe, state))})"
    return "None" if state is None else f"a {type(state).__name__}"
