"""`CheckpointManager`: saves a training while it goes on, and restores it in another process."""

import json
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base.errors import OpforgeError
from ..native.array import Var, push
from ..native.threads import random_streams
from .folders import (
    finish_folder,
    listed_folders,
    new_folder,
    read_manifest,
    remove_folder,
)
from .pieces import expect_piece, load_piece, save_piece
from .random_state import get_random_state, set_random_state
from .state_files import read_state, write_state

__all__ = ["Checkpoint", "CheckpointManager"]

_RANDOM = "random-numbers.state"  # a name that no piece can have
#: By folder: what is being written into it, one checkpoint after the other, by all managers of it.
_written: dict[str, Var] = {}


def _written_in(folder: str) -> Var:
    return _written.setdefault(folder, Var())


@dataclass(frozen=True)
class Checkpoint:
    """Restored checkpoint: the step, and the values that were saved with it."""

    step: int
    values: dict[str, Any]
    path: str


class CheckpointManager:
    """Checkpoints of one training in a folder; the newest of them are kept.

    A checkpoint has the pieces that are named here, the position of all random numbers (opforge's,
    NumPy's and Python's), and values that `save` is given. A training that restores it goes on with
    the same numbers, bit for bit, as the one that was interrupted.

    Parameters
    ----------
    folder : path-like
        Made where there is none. Each training has its own.
    keep : int, default 3
        How many checkpoints are kept; 0: all.
    wait : bool, default False
        Let `save` return only when the files are written. Otherwise the engine writes them while
        the training goes on.
    **pieces
        Blocks, trainers, modules, `ResumableLoader` and whatever else has `state_dict` and
        `load_state_dict`, each by a name of your choice.

    Raises
    ------
    TypeError
        A piece has no methods to save and load it.
    ValueError
        `keep` is negative.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import gluon, nd
    >>> net = gluon.nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manager = CheckpointManager(folder, net=net)
    ...     manager.save(10, epoch=1)
    ...     manager.restore().values
    {'epoch': 1}
    """

    def __init__(
        self, folder: "str | os.PathLike[str]", *, keep: int = 3, wait: bool = False, **pieces: Any
    ) -> None:
        if keep < 0:
            raise ValueError(f"CheckpointManager: keep is {keep!r}, expected at least 0")
        for name, piece in pieces.items():
            expect_piece(name, piece)
        self.folder, self.keep = os.path.abspath(os.fspath(folder)), keep
        self._pieces, self._wait = pieces, wait

    def save(self, step: int, **values: Any) -> None:
        """Save a checkpoint; parameters may be changed as soon as this returns.

        Parameters
        ----------
        step : int, at least 0
            Its number: the checkpoint with the greatest is the newest.
        **values
            What the program itself has to remember: numbers, strings, lists, dicts.

        Raises
        ------
        TypeError
            A value cannot be written as JSON.
        OSError
            This checkpoint, or one before that was written in the background, could not be written.
        """
        if isinstance(step, bool) or not isinstance(step, int) or step < 0:
            raise ValueError(
                f"CheckpointManager.save: step is {step!r}, expected an int, at least 0"
            )
        json.dumps(values)
        self.wait()
        position = random_streams.get_state()
        path = new_folder(self.folder, step)
        write_state(os.path.join(path, _RANDOM), get_random_state())
        pending: list[Var] = []
        for name, piece in self._pieces.items():
            pending += save_piece(name, piece, path)
        push(
            lambda: self._finish(path, step, values), read=pending, write=[_written_in(self.folder)]
        )
        # Pushed tasks take streams: a training shall draw the same whether it is saved or not.
        random_streams.set_state(position)
        if self._wait:
            self.wait()

    def wait(self) -> None:
        """Wait for the checkpoint that is being written; raise what went wrong, once."""
        try:
            _written_in(self.folder).wait_to_read()
        except Exception:
            del _written[self.folder]
            raise

    def _finish(self, path: str, step: int, values: dict[str, Any]) -> None:
        finish_folder(path, {"step": step, "values": values})
        self._remove_others(path)

    def _remove_others(self, newest: str) -> None:
        """Remove what is beyond the number that is kept, and what was never finished."""
        kept = 1
        for _, path, is_finished in list(listed_folders(self.folder)):
            if path == newest:
                continue
            kept += is_finished
            if not is_finished or 0 < self.keep < kept:
                remove_folder(path)

    def steps(self) -> list[int]:
        """Return the steps of all checkpoints, the newest first; their files are not looked at."""
        self.wait()
        return [step for step, _, is_finished in listed_folders(self.folder) if is_finished]

    def latest(self) -> int | None:
        """Return the step of the newest checkpoint, or None; its files are not looked at."""
        return next(iter(self.steps()), None)

    def restore(self, step: int | None = None) -> Checkpoint | None:
        """Read a checkpoint into the pieces, and set the random numbers.

        Parameters
        ----------
        step : int, optional
            Default: the newest whose files are whole; a warning tells of newer ones that are not.

        Returns
        -------
        Checkpoint or None
            None where the folder has no checkpoint at all.

        Raises
        ------
        OpforgeError
            There is no such step, or all checkpoints are damaged; the files are named.
        """
        found = self._find(step)
        return None if found is None else self._load(*found)

    def _find(self, step: int | None) -> tuple[str, dict[str, Any]] | None:
        """Return path and manifest of the one to restore; None where there is none at all."""
        self.wait()
        found = [
            (number, path)
            for number, path, is_finished in listed_folders(self.folder)
            if is_finished and step in (None, number)
        ]
        faults = []
        for _, path in found:
            try:
                manifest = read_manifest(path)
            except OpforgeError as error:
                faults.append(str(error))
                continue
            for fault in faults:
                logging.warning("CheckpointManager: %s; an older checkpoint is taken", fault)
            return path, manifest
        if step is None and not faults:
            return None
        raise OpforgeError(self._nothing(step, faults))

    def _load(self, path: str, manifest: dict[str, Any]) -> Checkpoint:
        missing = [name for name in self._pieces if not _has(manifest["files"], name)]
        if missing:
            raise OpforgeError(
                f"CheckpointManager: the checkpoint {path} has no {', '.join(missing)}; it has "
                f"{', '.join(sorted(manifest['files']))}. Give pieces the names that they were "
                "saved by"
            )
        for name, piece in self._pieces.items():
            load_piece(name, piece, path)
        set_random_state(read_state(os.path.join(path, _RANDOM)))
        return Checkpoint(manifest["step"], manifest["values"], path)

    def _nothing(self, step: int | None, faults: Sequence[str]) -> str:
        wanted = "checkpoint that is whole" if step is None else f"whole checkpoint of step {step}"
        why = "".join(f"\n  {fault}" for fault in faults) or f"; there are {self.steps()}"
        return (
            f"CheckpointManager: {self.folder} has no {wanted}{why}\n"
            "Restore another step, or remove the folder to begin anew"
        )


def _has(files: dict[str, Any], piece: str) -> bool:
    return any(name.rpartition(".")[0] == piece for name in files)
