"""`CheckpointManager`: checkpoints of a training on several ranks."""

import json
import logging
import os
from collections.abc import Mapping
from typing import Any

from opforge.plugin_api import OpforgeError, checkpoint

from .claims import Claim
from .running import world
from .world import World

__all__ = ["CheckpointManager"]


class CheckpointManager(checkpoint.CheckpointManager):
    """`opforge.checkpoint.CheckpointManager` for all ranks; they save and restore together.

    There is one checkpoint for all. Rank 0 writes it: networks and trainers, which are the same on
    all ranks, and each rank's random numbers, position in the data and whatever else has a
    `state_dict`. On as many ranks a training goes on with the same numbers, bit for bit. On another
    number of them it does so within rounding, where nothing is drawn; a warning says it.

    Parameters
    ----------
    folder : path-like
        The same for all ranks; all must see it.
    keep, wait, **pieces
        As of `opforge.checkpoint.CheckpointManager`.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import gluon
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
        self._world = world()
        own = {name: piece for name, piece in pieces.items() if hasattr(piece, "state_dict")}
        self._own = _Own(self._world, own)
        common: dict[str, Any] = {name: piece for name, piece in pieces.items() if name not in own}
        super().__init__(folder, keep=keep, wait=wait, **common, **{"of-each-rank": self._own})

    def save(self, step: int, **values: Any) -> None:
        """Save a checkpoint, together with the other ranks; values are those of rank 0."""
        self._own.gather(Claim(f"saving checkpoint {step}"))
        if self._world.rank == 0:
            super().save(step, **values)

    def restore(self, step: int | None = None) -> checkpoint.Checkpoint | None:
        """Read a checkpoint, the same on all ranks; see `opforge.checkpoint.CheckpointManager`."""
        found = super().restore(step)
        if found is not None:
            self._own.go_on()
            self._world.agree(Claim(f"restored checkpoint {found.step}"))  # none is removed before
        return found

    def _find(self, step: int | None) -> tuple[str, dict[str, Any]] | None:
        """Let rank 0 choose."""
        found = super()._find(step) if self._world.rank == 0 else None
        told = json.dumps(None if found is None else found[1]["step"]).encode()
        chosen = json.loads(self._world.gather(told, Claim("choosing a checkpoint"))[0])
        return found if chosen is None or found is not None else super()._find(chosen)


class _Own:
    """State of each rank: random numbers, and pieces with a `state_dict`.

    Parameters
    ----------
    ranks : World
    pieces : dict of str to object
    """

    def __init__(self, ranks: World, pieces: Mapping[str, Any]) -> None:
        self._world = ranks
        self._pieces = pieces
        self._states: list[bytes] = []  # of all ranks, as gathered or loaded last

    def gather(self, claim: Claim) -> None:
        """Get the states of all ranks."""
        states = {name: piece.state_dict() for name, piece in self._pieces.items()}
        mine = checkpoint.dump_state((checkpoint.get_random_state(), states))
        self._states = self._world.gather(mine, claim)

    def state_dict(self) -> dict[str, Any]:
        """Return what was gathered."""
        return {"ranks": self._states}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Keep what was saved for `go_on`."""
        self._states = state["ranks"]

    def go_on(self) -> None:
        """Go to the position that this rank had."""
        saved, size = len(self._states), self._world.size
        if saved != size and self._world.rank == 0:
            logging.warning(
                "CheckpointManager: goes on with %d ranks where %d have saved: the numbers agree "
                "within rounding only, and what is drawn at random is other",
                size,
                saved,
            )
        rank = self._world.rank % saved
        numbers, states = checkpoint.parse_state(self._states[rank], f"the state of rank {rank}")
        if missing := sorted(self._pieces.keys() - states):
            raise OpforgeError(
                f"CheckpointManager: the checkpoint has no {', '.join(missing)}; of each rank it "
                f"has {', '.join(states) or 'nothing'}. Give pieces the names that they were saved "
                "by"
            )
        for name, piece in self._pieces.items():
            piece.load_state_dict(states[name])
        checkpoint.set_random_state(numbers)
