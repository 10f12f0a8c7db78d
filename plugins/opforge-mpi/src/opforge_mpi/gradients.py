"""`Gradients`: those of a network, summed over the ranks while the backward pass goes on."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from opforge.plugin_api import autograd, engine

from .arrays import view_of
from .buckets import Buckets
from .claims import Claim, described
from .waiting import Collective, Requests, Steps
from .world import World

__all__ = ["Gradients"]

#: What a rank may wish at a step: sums of what the gradients are now, and that all compare values.
_AGAIN, _COMPARE = 1, 2


class Gradients:
    """The gradients of parameters; all ranks have the same ones.

    The first backward pass tells in which order gradients are completed. Neighbours of this order
    share a bucket, and lie in its memory from then on: nothing is copied before a sum. Later passes
    begin with a bucket's sum as soon as its last gradient is there.

    Parameters
    ----------
    world : World
    params : list of Parameter
        Each with one copy.
    threshold : float, optional
        Let gradients travel in two bits a value.

    Attributes
    ----------
    begins_early : bool
        Whether sums begin during the backward pass; all ranks must have the same.
    """

    def __init__(self, world: World, params: Sequence[Any], threshold: float | None = None) -> None:
        self.begins_early = True
        self._threshold = threshold
        self._world = world
        self._params = params
        self._came: dict[int, int] = {}  # since the last sum, in this order: index -> write stamp
        self._buckets: Buckets | None = None
        self._arrays: dict[int, Any] = {}  # by index in `params`, on the slots
        self._totals: dict[int, Any] = {}  # likewise, where the sums are
        self._places: dict[int, int] = {}  # index in `params` -> bucket
        self._awaited: list[int] = []  # how many gradients each bucket lacks
        self._launched = 0
        self._sums: list[Collective[None]] = []  # those that were launched
        self._is_spoiled = False
        self._verdict: Collective[None] | None = None  # tells whether sums must be taken again
        self._again = False
        self._were_set = False
        self._claim = Claim(f"step of {len(params)} parameters")
        for index, param in enumerate(params):
            param.register_grad_hook(partial(self._complete, index))

    def collect(self) -> None:
        """Replace all gradients by the sums."""
        if self._buckets is not None:
            self._buckets.collect()

    def total(self, index: int) -> Any:
        """Return the sum of a parameter's gradients; nobody may write to it."""
        return self._totals[index]

    def sum(self) -> None:
        """Sum all gradients over the ranks."""
        self.begin()
        self.finish()

    def begin(self) -> None:
        """Begin with the sums that the backward pass has not begun with."""
        with autograd.pause():
            wishes = _AGAIN * (self._is_spoiled or self._have_changed())
            wishes |= _COMPARE * self._were_set
            self._were_set = False
            self._launch_early()  # each rank takes part in each sum, whatever its own pass reached
            if not self._are_in_place():
                self._arrange()
                self._launch_rest()
                return
            if not self._world.keeps_turns:
                self._world.drain()  # side by side, who meets others seems to have left the sums
            self._verdict = self._world.launch(self._agree(wishes), self._claim)
            self._launch_rest(unless=lambda: self._again)

    def compare(self) -> None:
        """Let ranks compare what their parameters hold at the next step: one of these was set."""
        self._were_set = True

    def arriving(self) -> Iterator[list[int]]:
        """Yield parameters whose sums are there, and then those whose sums are there next.

        What is done with the ones goes on while messages bring the others.
        """
        self._judge()
        assert self._buckets is not None
        waiting = dict(enumerate(self._sums))
        while waiting:
            self._world.drain(next(iter(waiting.values())))
            there = [bucket for bucket, one in waiting.items() if one.is_done]
            yield [index for index, bucket in self._places.items() if bucket in there]
            for bucket in there:
                del waiting[bucket]

    def finish(self) -> None:
        """Wait for all sums that were begun."""
        self._judge()
        assert self._buckets is not None
        self._buckets.finish()
        self._came.clear()
        self._is_spoiled = False
        self._launched = 0
        self._awaited = [len(some) for some in self._buckets.members]

    def _agree(self, wishes: int) -> Steps[None]:
        """Learn what any rank wishes: another may have clipped gradients, or have set a value."""
        wishes = yield from self._world.meet(self._claim, wishes)
        if wishes & _COMPARE:
            yield from self._world.meet(Claim("going on with values", self._values()))
        self._again = bool(wishes & _AGAIN)

    def _judge(self) -> None:
        """Begin anew with all sums if a rank wants that."""
        if self._verdict is not None:
            self._world.drain(self._verdict)
        self._verdict = None
        if self._again:
            self._world.drain()  # of what asks whether sums are taken again
            self._again = False
            self._launched = 0
            self._launch_rest()

    def _complete(self, index: int, gradient: Any) -> None:
        """Begin with the sums for which this was the last gradient."""
        # A second pass before the step overwrites what sums have been begun with.
        self._is_spoiled = self._is_spoiled or index in self._came
        self._came[index] = engine.write_stamp(gradient)
        if self._is_spoiled or self._arrays.get(index) is not gradient or not self.begins_early:
            return
        if self._params[index].grad_req == "add":
            return  # there may be more to add
        self._awaited[self._places[index]] -= 1
        while self._launched < self._early and not self._awaited[self._launched]:
            self._launch_next()
        self._world.advance()

    @property
    def _early(self) -> int:
        """Number of sums that may begin before the step: all but those that keep their turn.

        Then the others' sums can be used while this one, which has no backward pass left to hide
        behind, is under way.
        """
        return max(len(self._awaited) - self._world.keeps_turns, 0)

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
        """Tell whether a gradient was written after its sum had been begun."""
        return any(
            self._places[index] < self._launched
            and engine.write_stamp(self._arrays[index]) != stamp
            for index, stamp in self._came.items()
            if index in self._places
        )

    def _are_in_place(self) -> bool:
        """Tell whether the gradients are those that were arranged."""
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
        """Put the gradients into buckets, in the order in which rank 0's were completed."""
        self._launched = 0
        wanted = [i for i, param in enumerate(self._params) if param.grad_req != "null"]
        came = dict.fromkeys(index for index in self._came if index in wanted)
        order = np.array([*came, *(i for i in reversed(wanted) if i not in came)], np.int64)
        what = f"arranging {len(order)} gradients of {len(self._params)} parameters"
        if self._buckets is None:
            self._world.agree(Claim("beginning", self._values()))
        self._world.run(_sent_by_the_first(self._world, order), Claim(what))
        params = [self._params[index] for index in order]
        gradients = [param.grad() for param in params]
        names = [param.name for param in params]
        self._buckets = Buckets(self._world, names, gradients, self._threshold)
        self._arrays.clear()
        self._totals.clear()
        for place, (index, param) in enumerate(zip(order.tolist(), params, strict=True)):
            placed = self._buckets.slots[place]
            placed[:] = gradients[place]
            param.use_grads([placed])
            self._arrays[index] = placed
            self._totals[index] = self._buckets.totals[place]
        self._places = {
            int(order[place]): bucket
            for bucket, some in enumerate(self._buckets.members)
            for place in some
        }
        self._awaited = [0] * len(self._buckets.members)

    def _values(self) -> tuple[str, ...]:
        """Return the items of a claim about what is trained: ranks would never agree again."""
        params = [param for param in self._params if param.grad_req != "null"]
        arrays = [param.data() for param in params]
        items = described([param.name for param in params], arrays)
        every = (hashlib.blake2b(view_of(array).data, digest_size=4) for array in arrays)
        return tuple(
            f"{item} with hash {h.hexdigest()}" for item, h in zip(items, every, strict=True)
        )


def _sent_by_the_first(world: World, order: np.ndarray) -> Steps[None]:
    yield Requests([world.comm.Ibcast(order, 0)])
