"""`Gradients`: a network's gradients, summed over the ranks during the backward pass."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from opforge.plugin_api import autograd, engine

from ..collectives.arrays import view_of
from ..collectives.buckets import Buckets
from ..collectives.signature import CollectiveSignature, describe_arrays
from ..collectives.world import World
from ..transport.steps import Collective, Requests, Steps

__all__ = ["Gradients"]

#: Flags of a rank at a step: sum the current gradients again, and compare all parameter values.
_SUM_AGAIN, _COMPARE = 1, 2


class Gradients:
    """Gradients of parameters, which must be the same on all ranks.

    The first backward pass determines the order in which gradients are completed. Neighbors in this
    order share a bucket and are stored in its memory from then on, so nothing is copied before a
    sum. Later passes start the sum of a bucket as soon as its last gradient is complete.

    Parameters
    ----------
    world : World
    params : list of Parameter
        Each with a single copy.
    threshold : float, optional
        Compress gradients to two bits per value with this threshold.

    Attributes
    ----------
    begins_early : bool
        Start sums during the backward pass; must be equal on all ranks.
    """

    def __init__(self, world: World, params: Sequence[Any], threshold: float | None = None) -> None:
        self.begins_early = True
        self._threshold = threshold
        self._world = world
        self._params = params
        self._completed: dict[int, int] = {}  # since the last sum, in order: index -> write stamp
        self._buckets: Buckets | None = None
        self._arrays: dict[int, Any] = {}  # by index in `params`, views of the slots
        self._totals: dict[int, Any] = {}  # by index in `params`, views of the sums
        self._bucket_of: dict[int, int] = {}  # index in `params` -> bucket
        self._awaited: list[int] = []  # number of gradients that each bucket lacks
        self._launched = 0
        self._sums: list[Collective[None]] = []  # launched sums
        self._is_stale = False
        self._agreement: Collective[None] | None = None  # determines whether to sum again
        self._must_sum_again = False
        self._values_were_set = False
        self._signature = CollectiveSignature(f"step of {len(params)} parameters")
        for index, param in enumerate(params):
            param.register_grad_hook(partial(self._complete, index))

    def collect(self) -> None:
        """Replace all gradients by their sums."""
        if self._buckets is not None:
            self._buckets.collect()

    def total(self, index: int) -> Any:
        """Return the sum of a parameter's gradients; it must not be modified."""
        return self._totals[index]

    def sum(self) -> None:
        """Sum all gradients over the ranks."""
        self.begin()
        self.finish()

    def begin(self) -> None:
        """Start the sums that the backward pass has not started."""
        with autograd.pause():
            flags = _SUM_AGAIN * (self._is_stale or self._have_changed())
            flags |= _COMPARE * self._values_were_set
            self._values_were_set = False
            self._launch_early()  # every rank takes part in each sum, even if its pass did not
            if not self._are_in_place():
                self._arrange()
                self._launch_rest()
                return
            if not self._world.is_sequential:
                # Without an order, a rank that meets others would seem to have left its sums.
                self._world.drain()
            self._agreement = self._world.launch(self._agree(flags), self._signature)
            self._launch_rest(unless=lambda: self._must_sum_again)

    def compare(self) -> None:
        """Compare the parameter values of all ranks at the next step: one of them was set."""
        self._values_were_set = True

    def arriving(self) -> Iterator[list[int]]:
        """Yield the indices of parameters whose sums have arrived, in groups, until all have.

        The caller's work on one group overlaps with the messages of the others.
        """
        self._finish_agreement()
        assert self._buckets is not None
        waiting = dict(enumerate(self._sums))
        while waiting:
            self._world.drain(next(iter(waiting.values())))
            done = [bucket for bucket, one in waiting.items() if one.is_done]
            yield [index for index, bucket in self._bucket_of.items() if bucket in done]
            for bucket in done:
                del waiting[bucket]

    def finish(self) -> None:
        """Wait for all started sums."""
        self._finish_agreement()
        assert self._buckets is not None
        self._buckets.finish()
        self._completed.clear()
        self._is_stale = False
        self._launched = 0
        self._awaited = [len(members) for members in self._buckets.members]

    def _agree(self, flags: int) -> Steps[None]:
        """Combine all ranks' flags: another rank may have clipped gradients, or set a value."""
        flags = yield from self._world.meet(self._signature, flags)
        if flags & _COMPARE:
            yield from self._world.meet(
                CollectiveSignature("continuing with values", self._values())
            )
        self._must_sum_again = bool(flags & _SUM_AGAIN)

    def _finish_agreement(self) -> None:
        """Restart all sums if a rank has requested it."""
        if self._agreement is not None:
            self._world.drain(self._agreement)
        self._agreement = None
        if self._must_sum_again:
            self._world.drain()  # the launched sums check this flag
            self._must_sum_again = False
            self._launched = 0
            self._launch_rest()

    def _complete(self, index: int, gradient: Any) -> None:
        """Start the sums for which this was the last missing gradient."""
        # A second pass before the step overwrites the addends of sums that were started.
        self._is_stale = self._is_stale or index in self._completed
        self._completed[index] = engine.write_stamp(gradient)
        if self._is_stale or self._arrays.get(index) is not gradient or not self.begins_early:
            return
        if self._params[index].grad_req == "add":
            return  # later passes may add to it
        self._awaited[self._bucket_of[index]] -= 1
        while self._launched < self._early and not self._awaited[self._launched]:
            self._launch_next()
        self._world.advance()

    @property
    def _early(self) -> int:
        """Number of sums that may start before the step: all but those that are sequential.

        The other sums can then be used while the last one, which no backward pass is left to hide,
        is in progress.
        """
        return max(len(self._awaited) - self._world.is_sequential, 0)

    def _launch_early(self) -> None:
        while self._launched < self._early:
            self._launch_next()

    def _launch_rest(self, unless: Callable[[], bool] = lambda: False) -> None:
        while self._launched < len(self._awaited):
            self._launch_next(unless)

    def _launch_next(self, unless: Callable[[], bool] = lambda: False) -> None:
        assert self._buckets is not None
        self._sums[self._launched :] = [self._buckets.launch(self._launched, unless)]
        self._launched += 1

    def _have_changed(self) -> bool:
        """Return whether a gradient was written after its sum had started."""
        return any(
            self._bucket_of[index] < self._launched
            and engine.write_stamp(self._arrays[index]) != stamp
            for index, stamp in self._completed.items()
            if index in self._bucket_of
        )

    def _are_in_place(self) -> bool:
        """Return whether the gradients are the arrays in the buckets."""
        if self._buckets is None:
            return False
        found = {
            index: param.grad()
            for index, param in enumerate(self._params)
            if param.grad_req != "null"
        }
        return found.keys() == self._arrays.keys() and all(
            self._arrays[index] is gradient for index, gradient in found.items()
        )

    def _arrange(self) -> None:
        """Move the gradients into buckets, in the order in which rank 0's were completed."""
        self._launched = 0
        trained = [i for i, param in enumerate(self._params) if param.grad_req != "null"]
        done = dict.fromkeys(index for index in self._completed if index in trained)
        order = np.array([*done, *(i for i in reversed(trained) if i not in done)], np.int64)
        operation = f"arranging {len(order)} gradients of {len(self._params)} parameters"
        if self._buckets is None:
            self._world.agree(CollectiveSignature("starting", self._values()))
        self._world.run(_broadcast_order(self._world, order), CollectiveSignature(operation))
        params = [self._params[index] for index in order]
        gradients = [param.grad() for param in params]
        names = [param.name for param in params]
        self._buckets = Buckets(self._world, names, gradients, self._threshold)
        self._arrays.clear()
        self._totals.clear()
        for position, (index, param) in enumerate(zip(order.tolist(), params, strict=True)):
            slot = self._buckets.slots[position]
            slot[:] = gradients[position]
            param.use_grads([slot])
            self._arrays[index] = slot
            self._totals[index] = self._buckets.totals[position]
        self._bucket_of = {
            int(order[position]): bucket
            for bucket, members in enumerate(self._buckets.members)
            for position in members
        }
        self._awaited = [0] * len(self._buckets.members)

    def _values(self) -> tuple[str, ...]:
        """Return items with a hash of each trained parameter, to detect diverged ranks."""
        params = [param for param in self._params if param.grad_req != "null"]
        arrays = [param.data() for param in params]
        items = describe_arrays([param.name for param in params], arrays)
        hashes = (
            hashlib.blake2b(view_of(array).view(np.uint8).data, digest_size=4) for array in arrays
        )
        return tuple(
            f"{item} with hash {h.hexdigest()}" for item, h in zip(items, hashes, strict=True)
        )


def _broadcast_order(world: World, order: np.ndarray) -> Steps[None]:
    yield Requests([world.comm.Ibcast(order, 0)])
