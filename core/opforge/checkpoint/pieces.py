"""Parts of a training as files: networks, trainers, and objects with a `state_dict`."""

import os
from collections.abc import Iterator
from typing import Any

from ..native.array import Var
from .state_files import read_state, write_state

__all__ = ["expect_piece", "load_piece", "save_piece"]

#: Methods that write a file and read it, and how the file's name ends.
_METHODS = (
    ("save_parameters", "load_parameters", "params"),  # Block
    ("save_params", "load_params", "params"),  # Module
    ("save_states", "load_states", "states"),  # Trainer
    ("save_optimizer_states", "load_optimizer_states", "states"),  # Module, KVStore
)
_STATE = ("state_dict", "load_state_dict", "state")


def _ways(piece: Any) -> Iterator[tuple[str, str, str]]:
    """Yield how a piece is written; a block has `save_params` as well, by its older name."""
    used = set()
    for save, load, ending in (*_METHODS, _STATE):
        if ending not in used and hasattr(piece, save) and hasattr(piece, load):
            used.add(ending)
            yield save, load, ending


def expect_piece(name: str, piece: Any) -> None:
    """Refuse what nobody knows how to write.

    Raises
    ------
    TypeError
        It has none of the methods.
    """
    if not any(_ways(piece)):
        known = ", ".join(f"{save}/{load}" for save, load, _ in (*_METHODS, _STATE))
        raise TypeError(
            f"CheckpointManager: {name!r} is a {type(piece).__name__}, expected an object with one "
            f"of {known}"
        )


def save_piece(name: str, piece: Any, folder: str) -> list[Var]:
    """Write the files of a piece; return what to wait on for those that the engine writes."""
    pending = []
    for save, _, ending in _ways(piece):
        path = os.path.join(folder, f"{name}.{ending}")
        if save == "state_dict":
            write_state(path, piece.state_dict())
        elif save == "save_parameters":
            pending.append(piece.save_parameters(path, wait=False))
        else:
            getattr(piece, save)(path)
    return pending


def load_piece(name: str, piece: Any, folder: str) -> None:
    """Read the files of a piece."""
    for save, load, ending in _ways(piece):
        path = os.path.join(folder, f"{name}.{ending}")
        if save == "state_dict":
            piece.load_state_dict(read_state(path))
        else:
            getattr(piece, load)(path)
