"""`CheckpointManager`: checkpoints of a training run on several ranks."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from opforge.plugin_api import OpforgeError, checkpoint

from ..collectives.session import world
from ..collectives.signature import CollectiveSignature
from ..collectives.world import World

__all__ = ["CheckpointManager"]


class CheckpointManager(checkpoint.CheckpointManager):
    """`opforge.checkpoint.CheckpointManager` for several ranks, which save and restore together.

    All ranks share one checkpoint, written by rank 0. It has networks and trainers, which are equal
    on all ranks, and for each rank the random state, the position in the data and any other object
    with a `state_dict`. A run restored on the same number of ranks continues with the same
    numbers, bit for bit. On a different number of ranks, results agree within rounding unless
    random numbers are drawn, and a warning is logged.

    Parameters
    ----------
    folder : path-like
        The same path for all ranks; all must be able to access it.
    keep, wait, **components
        See `opforge.checkpoint.CheckpointManager`.
    """

    def _stored_components(self, components: dict[str, Any]) -> dict[str, Any]:
        """Replace the components that differ between ranks by one that gathers their states."""
        self._world = world()
        per_rank = {name: one for name, one in components.items() if hasattr(one, "state_dict")}
        self._per_rank = _PerRankState(self._world, per_rank)
        common = {name: one for name, one in components.items() if name not in per_rank}
        return {**common, "of-each-rank": self._per_rank}  # part of the file format

    def save(self, step: int, **values: Any) -> None:
        """Save a checkpoint together with the other ranks; `values` are those of rank 0."""
        self._per_rank.gather(CollectiveSignature(f"saving checkpoint {step}"))
        if self._world.rank == 0:
            super().save(step, **values)

    def restore(self, step: int | None = None) -> checkpoint.Checkpoint | None:
        """Restore the same checkpoint on all ranks; see `opforge.checkpoint.CheckpointManager`."""
        found = super().restore(step)
        if found is not None:
            self._per_rank.restore()
            # No rank may remove the checkpoint before all have read it.
            self._world.agree(CollectiveSignature(f"restored checkpoint {found.step}"))
        return found

    def _find(self, step: int | None) -> tuple[str, dict[str, Any]] | None:
        """Let rank 0 select the checkpoint."""
        found = super()._find(step) if self._world.rank == 0 else None
        message = json.dumps(None if found is None else found[1]["step"]).encode()
        chosen = json.loads(
            self._world.gather(message, CollectiveSignature("choosing a checkpoint"))[0]
        )
        return found if chosen is None or found is not None else super()._find(chosen)


class _PerRankState:
    """State of each rank: random numbers, and components with a `state_dict`.

    Parameters
    ----------
    ranks : World
    components : dict of str to object
    """

    def __init__(self, ranks: World, components: Mapping[str, Any]) -> None:
        self._world = ranks
        self._components = components
        self._states: list[bytes] = []  # of all ranks, as gathered or loaded last

    def gather(self, signature: CollectiveSignature) -> None:
        """Collect the states of all ranks."""
        states = {name: one.state_dict() for name, one in self._components.items()}
        mine = checkpoint.dump_state((checkpoint.get_random_state(), states))
        self._states = self._world.gather(mine, signature)

    def state_dict(self) -> dict[str, Any]:
        """Return the states collected by `gather`."""
        return {"ranks": self._states}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Store the loaded states for `restore`."""
        self._states = state["ranks"]

    def restore(self) -> None:
        """Restore the state of this rank."""
        saved, size = len(self._states), self._world.size
        if saved != size and self._world.rank == 0:
            logging.warning(
                "CheckpointManager: continuing with %d ranks a checkpoint saved by %d: results "
                "agree within rounding only, and random numbers differ",
                size,
                saved,
            )
        rank = self._world.rank % saved
        numbers, states = checkpoint.parse_state(self._states[rank], f"the state of rank {rank}")
        if missing := sorted(self._components.keys() - states):
            raise OpforgeError(
                f"CheckpointManager: the checkpoint has no {', '.join(missing)}; for each rank it "
                f"has {', '.join(states) or 'nothing'}. Use the names that the components were "
                "saved under"
            )
        for name, component in self._components.items():
            component.load_state_dict(states[name])
        checkpoint.set_random_state(numbers)
