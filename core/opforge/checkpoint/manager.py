"""`CheckpointManager`: saves a running training, and restores it in another process."""

import json
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base.errors import OpforgeError
from ..native.array import Var, push
from ..native.threads import random_streams
from .components import expect_component, load_component, save_component
from .folders import (
    finish_folder,
    listed_folders,
    new_folder,
    read_manifest,
    remove_folder,
)
from .random_state import get_random_state, set_random_state
from .state_files import read_state, write_state

__all__ = ["Checkpoint", "CheckpointManager"]

_RANDOM = "random-numbers.state"  # a name that no component can have
#: Pending write per folder: all managers of a folder write its checkpoints one after the other.
_pending_writes: dict[str, Var] = {}


def _pending_write(folder: str) -> Var:
    return _pending_writes.setdefault(folder, Var())


@dataclass(frozen=True)
class Checkpoint:
    """Restored checkpoint: its step, and the values saved with it."""

    step: int
    values: dict[str, Any]
    path: str


class CheckpointManager:
    """Checkpoints of one training run in a folder, of which the newest are kept.

    A checkpoint has the components named here, the state of all random number generators
    (opforge's, NumPy's and Python's), and the values passed to `save`. A restored training run
    continues with the same numbers, bit for bit, as the interrupted one.

    Parameters
    ----------
    folder : path-like
        Created if it does not exist. Each training run needs its own.
    keep : int, default 3
        Number of checkpoints to keep; 0 keeps all.
    wait : bool, default False
        Return from `save` only after the files are written. Otherwise the engine writes them while
        training continues.
    **components
        Blocks, trainers, modules, `ResumableLoader` and any other objects that have `state_dict`
        and `load_state_dict`, each under a name of your choice.

    Raises
    ------
    TypeError
        A component has no methods to save and load it.
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
        self,
        folder: "str | os.PathLike[str]",
        *,
        keep: int = 3,
        wait: bool = False,
        **components: Any,
    ) -> None:
        if keep < 0:
            raise ValueError(f"CheckpointManager: keep is {keep!r}; expected at least 0")
        self._components, self._wait = self._stored_components(components), wait
        for name, component in self._components.items():
            expect_component(name, component)
        self.folder, self.keep = os.path.abspath(os.fspath(folder)), keep

    def _stored_components(self, components: dict[str, Any]) -> dict[str, Any]:
        """Return the components as checkpoints store them."""
        return components

    def save(self, step: int, **values: Any) -> None:
        """Save a checkpoint; parameters may be changed as soon as this method returns.

        Parameters
        ----------
        step : int, at least 0
            Number of the checkpoint; the one with the highest step is the newest.
        **values
            The program's own state: numbers, strings, lists, dicts.

        Raises
        ------
        TypeError
            A value cannot be serialized as JSON.
        OSError
            This checkpoint, or an earlier one in the background, could not be written.
        """
        if isinstance(step, bool) or not isinstance(step, int) or step < 0:
            raise ValueError(
                f"CheckpointManager.save: step is {step!r}; expected an int of at least 0"
            )
        json.dumps(values)
        self.wait()
        random_position = random_streams.get_state()
        path = new_folder(self.folder, step)
        write_state(os.path.join(path, _RANDOM), get_random_state())
        pending: list[Var] = []
        for name, component in self._components.items():
            pending += save_component(name, component, path)
        push(
            lambda: self._finish(path, step, values),
            read=pending,
            write=[_pending_write(self.folder)],
        )
        # Pushed tasks take random streams: saving must not change the numbers that training draws.
        random_streams.set_state(random_position)
        if self._wait:
            self.wait()

    def wait(self) -> None:
        """Wait for the checkpoint being written; raise its error, once."""
        try:
            _pending_write(self.folder).wait_to_read()
        except Exception:
            del _pending_writes[self.folder]
            raise

    def _finish(self, path: str, step: int, values: dict[str, Any]) -> None:
        finish_folder(path, {"step": step, "values": values})
        self._remove_old(path)

    def _remove_old(self, newest: str) -> None:
        """Remove checkpoints beyond the number to keep, and unfinished ones."""
        kept = 1
        for _, path, is_finished in list(listed_folders(self.folder)):
            if path == newest:
                continue
            kept += is_finished
            if not is_finished or 0 < self.keep < kept:
                remove_folder(path)

    def steps(self) -> list[int]:
        """Return the steps of all checkpoints, newest first, without verifying their files."""
        self.wait()
        return [step for step, _, is_finished in listed_folders(self.folder) if is_finished]

    def latest(self) -> int | None:
        """Return the step of the newest checkpoint or None, without verifying its files."""
        return next(iter(self.steps()), None)

    def restore(self, step: int | None = None) -> Checkpoint | None:
        """Load a checkpoint into the components, and restore the random state.

        Parameters
        ----------
        step : int, optional
            Default: the newest intact checkpoint; a warning reports newer, damaged ones.

        Returns
        -------
        Checkpoint or None
            None if the folder has no checkpoint.

        Raises
        ------
        OpforgeError
            The step does not exist, or all checkpoints are damaged; the error names the files.
        """
        found = self._find(step)
        return None if found is None else self._load(*found)

    def _find(self, step: int | None) -> tuple[str, dict[str, Any]] | None:
        """Return path and manifest of the checkpoint to restore; None if there are none."""
        self.wait()
        found = [
            (number, path)
            for number, path, is_finished in listed_folders(self.folder)
            if is_finished and step in (None, number)
        ]
        errors = []
        for _, path in found:
            try:
                manifest = read_manifest(path)
            except OpforgeError as err:
                errors.append(str(err))
                continue
            for error in errors:
                logging.warning("CheckpointManager: %s; using an older checkpoint", error)
            return path, manifest
        if step is None and not errors:
            return None
        raise OpforgeError(self._not_found(step, errors))

    def _load(self, path: str, manifest: dict[str, Any]) -> Checkpoint:
        missing = [name for name in self._components if not _has(manifest["files"], name)]
        if missing:
            raise OpforgeError(
                f"CheckpointManager: checkpoint {path} has no {', '.join(missing)}; it has "
                f"{', '.join(sorted(manifest['files']))}. Use the names that the components were "
                "saved under"
            )
        for name, component in self._components.items():
            load_component(name, component, path)
        set_random_state(read_state(os.path.join(path, _RANDOM)))
        return Checkpoint(manifest["step"], manifest["values"], path)

    def _not_found(self, step: int | None, errors: Sequence[str]) -> str:
        wanted = "intact checkpoint" if step is None else f"intact checkpoint of step {step}"
        why = "".join(f"\n  {error}" for error in errors) or f"; its steps are {self.steps()}"
        return (
            f"CheckpointManager: {self.folder} has no {wanted}{why}\n"
            "Restore another step, or remove the folder to start over"
        )


def _has(files: dict[str, Any], component: str) -> bool:
    return any(name.rpartition(".")[0] == component for name in files)
