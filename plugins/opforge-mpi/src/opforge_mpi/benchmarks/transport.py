"""Cost of sums over the ranks, and the fraction of it that a backward pass hides.

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

from ..collectives.all_reduce_buffers import (
    AllReduceBuffer,
    MessageAllReduceBuffer,
    create_all_reduce_buffers,
)
from ..collectives.arrays import broadcast_parameters
from ..collectives.session import world
from ..collectives.signature import CollectiveSignature
from ..collectives.world import World
from ..training.gradients import Gradients
from .networks import Learner, build

__all__ = ["measure", "measure_overlap", "measure_sums"]

SIZES = tuple(4 * 8**power for power in range(8))  # bytes: 4 to 8 MiB
#: Rounds of a measurement: many short ones, because the system takes a while to notice that two
#: ranks share a processor; until then a sum of 128 KiB takes 50 us instead of 15.
_ROUNDS = 40
_FLOAT = np.dtype(np.float32)


def measure() -> dict[str, Any]:
    """Return all measurements; every rank must call it."""
    here = world()
    library = here.mpi.Get_library_version().splitlines()[0].strip().rstrip(",")
    return {
        "library": library,
        "ranks": here.size,
        "hosts": sorted(set(here.hosts)),
        "shares_memory": here.node_group.share_memory,
        "sums": [measure_sums(here, nbytes) for nbytes in SIZES],
        "overlap": measure_overlap(here),
    }


def measure_sums(here: World, nbytes: int) -> dict[str, Any]:
    """Return the seconds of one sum of `nbytes` bytes, for each implementation."""
    length = nbytes // _FLOAT.itemsize
    signature = CollectiveSignature(f"sum of {nbytes} bytes")
    kinds: dict[str, AllReduceBuffer] = {
        "messages": MessageAllReduceBuffer(here, length, _FLOAT, signature)
    }
    if here.node_group.share_memory:
        (kinds["shared"],) = create_all_reduce_buffers(here, [length], [_FLOAT], [signature])
    addend, total = np.zeros(length, _FLOAT), np.zeros(length, _FLOAT)

    def summed(buffer: AllReduceBuffer) -> Callable[[], None]:
        def run() -> None:
            here.launch(buffer.sum(), signature)
            here.drain()

        return run

    implementations = {name: summed(buffer) for name, buffer in kinds.items()}
    implementations["library"] = lambda: here.comm.Allreduce(addend, total)
    count = max(2, min(50, 2**22 // nbytes))
    times = {name: _least(here, run, count) for name, run in implementations.items()}
    return {"bytes": nbytes, **times}


def measure_overlap(here: World, count: int = 40) -> dict[str, float]:
    """Return seconds of a backward pass, an update, and sums after or during the pass.

    The network is the perceptron of `networks`; times are medians of `count` steps, measured from
    the end of the last rank's pass. The remaining time of sums that start during the pass is the
    joint time of these sums and the update, minus the time of an update after a pass; the update
    processes sums as they arrive.
    """
    learner = build("perceptron")
    broadcast_parameters({param.name: param for param in learner.params})
    params = [p for p in learner.params if p.grad_req != "null"]
    gradients = Gradients(here, params)
    learner.backward()
    gradients.sum()  # arranges them
    update = _updater(params, gradients)

    def update_as_sums_arrive() -> None:
        gradients.begin()
        for arrived in gradients.arriving():
            update(arrived)
        gradients.finish()

    def update_and_meet() -> None:
        update(range(len(params)))
        here.agree(CollectiveSignature("an update of a benchmark"))

    gradients.begins_early = False
    backward, sums = _time_after_backward(here, learner, gradients.sum, count)
    _, alone = _time_after_backward(here, learner, update_and_meet, count)
    gradients.begins_early = True
    _, together = _time_after_backward(here, learner, update_as_sums_arrive, count)
    left = max(0.0, together - alone)
    hidden = max(0.0, 1 - left / sums)
    return {"backward": backward, "update": alone, "sums": sums, "left": left, "hidden": hidden}


def _updater(params: Sequence[Any], gradients: Gradients) -> Callable[[Sequence[int]], None]:
    """Return a function that updates the given parameters from their sums."""
    optimizer = Optimizer.create_optimizer("sgd", learning_rate=1e-3, momentum=0.9)
    states = [optimizer.create_state(i, param.data()) for i, param in enumerate(params)]

    def update(indices: Sequence[int]) -> None:
        weights = [params[i].data() for i in indices]
        totals = [gradients.total(i) for i in indices]
        with autograd.pause():
            optimizer.update_weights(indices, weights, totals, [states[i] for i in indices])

    return update


def _time_after_backward(
    here: World, learner: Learner, run: Callable[[], object], count: int
) -> tuple[float, float]:
    """Return the median times of a backward pass, and of `run` after all ranks have finished it."""
    times = np.empty((count, 3))
    for row in times:
        row[0] = time.monotonic()
        learner.backward()
        row[1] = time.monotonic()
        run()
        row[2] = time.monotonic()
    gathered = here.gather(times.tobytes(), CollectiveSignature("times of a benchmark"))
    began, ended, summed = times.T
    if len(set(here.hosts)) == 1:  # the ranks share a clock
        last = np.max([np.frombuffer(one).reshape(-1, 3)[:, 1] for one in gathered], axis=0)
    else:
        last = ended
    return float(np.median(ended - began)), float(np.median(summed - last))


def _least(here: World, run: Callable[[], object], count: int) -> float:
    """Return the shortest mean time of `count` calls, which all ranks make together."""
    run()
    means = []
    for _ in range(_ROUNDS):
        here.agree(CollectiveSignature("a round of a benchmark"))
        start = time.perf_counter()
        for _ in range(count):
            run()
        means.append((time.perf_counter() - start) / count)
    return min(means)


def main() -> None:
    """Measure, and write the results of rank 0."""
    found = measure()
    if world().rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
