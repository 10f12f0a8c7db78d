"""Cost of sums over the ranks, and the part of it that a backward pass hides.

Run by mpiexec: ``python -m opforge_mpi.benchmarks.transport FILE``; rank 0 writes the figures.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from opforge.plugin_api import Optimizer, autograd

from ..arrays import broadcast_parameters
from ..claims import Claim
from ..gradients import Gradients
from ..rooms import MessageRoom, Room, rooms
from ..running import world
from ..world import World
from .networks import Learner, made

__all__ = ["measure", "measure_overlap", "measure_sums"]

SIZES = tuple(4 * 8**power for power in range(8))  # bytes: 4 to 8 MiB
#: Rounds of a measurement: short ones and many, for it takes the system a while to notice that two
#: ranks share a processor, and a sum of 128 KiB takes 50 us then where it takes 15.
_ROUNDS = 40
_FLOAT = np.dtype(np.float32)


def measure() -> dict[str, Any]:
    """Return all figures; every rank calls it."""
    here = world()
    library = here.mpi.Get_library_version().splitlines()[0].strip().rstrip(",")
    return {
        "library": library,
        "ranks": here.size,
        "hosts": sorted(set(here.hosts)),
        "shares_memory": here.neighbours.share_memory,
        "sums": [measure_sums(here, nbytes) for nbytes in SIZES],
        "overlap": measure_overlap(here),
    }


def measure_sums(here: World, nbytes: int) -> dict[str, Any]:
    """Return the seconds of one sum of so many bytes, for each way to take it."""
    length = nbytes // _FLOAT.itemsize
    claim = Claim(f"sum of {nbytes} bytes")
    kinds: dict[str, Room] = {"messages": MessageRoom(here, length, _FLOAT, claim)}
    if here.neighbours.share_memory:
        (kinds["shared"],) = rooms(here, [length], [_FLOAT], [claim])
    addend, total = np.zeros(length, _FLOAT), np.zeros(length, _FLOAT)

    def summed(room: Room) -> Callable[[], None]:
        def run() -> None:
            here.launch(room.sum(), claim)
            here.drain()

        return run

    ways = {name: summed(room) for name, room in kinds.items()}
    ways["library"] = lambda: here.comm.Allreduce(addend, total)
    count = max(2, min(50, 2**22 // nbytes))
    return {"bytes": nbytes, **{name: _least(here, run, count) for name, run in ways.items()}}


def measure_overlap(here: World, count: int = 40) -> dict[str, float]:
    """Return seconds of a backward pass, an update, and sums behind the pass or while it goes on.

    The network is the perceptron of `networks`; times are medians of `count` steps, counted from
    where the last rank has ended its pass. What is left of sums that begin during the pass is what
    they and the update take together, less the update's own time behind a pass: it goes on with
    what has arrived.
    """
    learner = made("perceptron")
    broadcast_parameters({param.name: param for param in learner.params})
    params = [p for p in learner.params if p.grad_req != "null"]
    gradients = Gradients(here, params)
    learner.backward()
    gradients.sum()  # arranges them
    update = _updater(params, gradients)

    def update_as_sums_arrive() -> None:
        gradients.begin()
        for some in gradients.arriving():
            update(some)
        gradients.finish()

    def update_and_meet() -> None:
        update(range(len(params)))
        here.agree(Claim("an update of a benchmark"))

    gradients.begins_early = False
    backward, sums = _behind(here, learner, gradients.sum, count)
    _, alone = _behind(here, learner, update_and_meet, count)
    gradients.begins_early = True
    _, together = _behind(here, learner, update_as_sums_arrive, count)
    left = max(0.0, together - alone)
    hidden = max(0.0, 1 - left / sums)
    return {"backward": backward, "update": alone, "sums": sums, "left": left, "hidden": hidden}


def _updater(params: Sequence[Any], gradients: Gradients) -> Callable[[Sequence[int]], None]:
    """Return a function that updates some of the parameters from their sums."""
    optimizer = Optimizer.create_optimizer("sgd", learning_rate=1e-3, momentum=0.9)
    states = [optimizer.create_state(i, param.data()) for i, param in enumerate(params)]

    def update(indices: Sequence[int]) -> None:
        weights = [params[i].data() for i in indices]
        totals = [gradients.total(i) for i in indices]
        with autograd.pause():
            optimizer.update_weights(indices, weights, totals, [states[i] for i in indices])

    return update


def _behind(
    here: World, learner: Learner, run: Callable[[], object], count: int
) -> tuple[float, float]:
    """Return the medians of a backward pass, and of what `run` takes behind those of all."""
    moments = np.empty((count, 3))
    for row in moments:
        row[0] = time.monotonic()
        learner.backward()
        row[1] = time.monotonic()
        run()
        row[2] = time.monotonic()
    every = here.gather(moments.tobytes(), Claim("moments of a benchmark"))
    began, ended, summed = moments.T
    if len(set(here.hosts)) == 1:  # of one clock
        last = np.max([np.frombuffer(one).reshape(-1, 3)[:, 1] for one in every], axis=0)
    else:
        last = ended
    return float(np.median(ended - began)), float(np.median(summed - last))


def _least(here: World, run: Callable[[], object], count: int) -> float:
    """Return the shortest mean of `count` calls, which all ranks make together."""
    run()
    means = []
    for _ in range(_ROUNDS):
        here.agree(Claim("a round of a benchmark"))
        began = time.perf_counter()
        for _ in range(count):
            run()
        means.append((time.perf_counter() - began) / count)
    return min(means)


def main() -> None:
    """Measure, and write what rank 0 has found."""
    found = measure()
    if world().rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
