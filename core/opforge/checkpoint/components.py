"""Components of a training run as files: networks, trainers, and objects with a `state_dict`."""

import os
from collections.abc import Iterator
from typing import Any

from ..native.array import Var
from .state_files import read_state, write_state

__all__ = ["expect_component", "load_component", "save_component"]

#: Methods that write and read a file, and the file's suffix.
_METHODS = (
    ("save_parameters", "load_parameters", "params"),  # Block
    ("save_params", "load_params", "params"),  # Module
    ("save_states", "load_states", "states"),  # Trainer
    ("save_optimizer_states", "load_optimizer_states", "states"),  # Module, KVStore
)
_STATE = ("state_dict", "load_state_dict", "state")


def _methods_of(component: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the methods and suffix of each file of a component, one per suffix.

    A block also has `save_params`, an older name of `save_parameters`.
    """
    used = set()
    for save, load, suffix in (*_METHODS, _STATE):
        if suffix not in used and hasattr(component, save) and hasattr(component, load):
            used.add(suffix)
            yield save, load, suffix


def expect_component(name: str, component: Any) -> None:
    """Raise an error if an object has no methods to save and load it.

    Raises
    ------
    TypeError
        It has none of the supported methods.
    """
    if not any(_methods_of(component)):
        known = ", ".join(f"{save}/{load}" for save, load, _ in (*_METHODS, _STATE))
        raise TypeError(
            f"CheckpointManager: {name!r} is a {type(component).__name__}; expected an object with "
            f"one of {known}"
        )


def save_component(name: str, component: Any, folder: str) -> list[Var]:
    """Write the files of a component; return variables to wait on for those the engine writes."""
    pending = []
    for save, _, suffix in _methods_of(component):
        path = os.path.join(folder, f"{name}.{suffix}")
        if save == "state_dict":
            write_state(path, component.state_dict())
        elif save == "save_parameters":
            pending.append(component.save_parameters(path, wait=False))
        else:
            getattr(component, save)(path)
    return pending


def load_component(name: str, component: Any, folder: str) -> None:
    """Read the files of a component."""
    for save, load, suffix in _methods_of(component):
        path = os.path.join(folder, f"{name}.{suffix}")
        if save == "state_dict":
            component.load_state_dict(read_state(path))
        else:
            getattr(component, load)(path)
