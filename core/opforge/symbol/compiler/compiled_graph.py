"""`CompiledGraph`: everything needed to create programs of one graph."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.lru_cache import LRUCache
from ...native.graph import program as native
from ...native.graph.programs import Programs
from ...native.graph.steady import SteadyInputs
from ..node import Type
from .call import Call
from .loop_gradients import Product
from .memory import Layout

__all__ = ["CompiledGraph"]

#: Measured with tracemalloc, for programs of 4 to 200 steps.
_BYTES_PER_CALL = 1000
_BYTES_PER_SLOT = 500

#: More than any machine has; larger sizes do not fit C integers.
_MOST_BYTES = 1 << 62


@dataclass
class CompiledGraph:
    """Everything needed to create programs of one graph.

    Parameters
    ----------
    types : list of Type
        Type of each slot.
    layout : Layout
        Arena offsets of the slots that the caller does not provide.
    calls : list of Call
    n_forward : int
        Number of steps of the forward pass; the others are the backward pass.
    inputs : dict of str to int
        Slots of the variables.
    outputs : list of int
        Slots of the outputs.
    heads : list of int or None
        Slots of the outputs' gradients; None if no step reads the gradient.
    grads : dict of str to int
        Slots of the variables' gradients, except of those that receive none.
    products : dict of str to Product
        Gradients that are products summed over loop iterations; `grads` has their operands
        instead.
    constants : dict of int to NDArray
        Arrays of the slots of constants, shared by all programs.
    steady : SteadyInputs
        Values that are recomputed only when the parameters they depend on have changed.
    """

    types: list[Type] = field(default_factory=list)
    layout: Layout = field(default_factory=Layout)
    calls: list[Call] = field(default_factory=list)
    n_forward: int = 0
    inputs: dict[str, int] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)
    heads: list[int | None] = field(default_factory=list)
    grads: dict[str, int] = field(default_factory=dict)
    products: dict[str, Product] = field(default_factory=dict)
    constants: dict[int, Any] = field(default_factory=dict)
    steady: Any = field(default_factory=SteadyInputs)

    @property
    def nbytes(self) -> int:
        """Approximate bytes of this object and one of its programs, without shared regions."""
        constants = sum(self.types[slot].nbytes for slot in self.constants)
        return constants + _BYTES_PER_CALL * len(self.calls) + _BYTES_PER_SLOT * len(self.types)

    def programs(self, names: Sequence[str | None], make: Callable[[], Any]) -> Any:
        """Return programs for callers that pass variables in the order of `names`.

        Parameters
        ----------
        names : sequence of str or None
            None for an input that no variable reads.
        make : callable
            Returns a new program: `instantiate`, or the result of `counted`.
        """
        ends = {slot: at for at, call in enumerate(self.calls, 1) for slot in call.outputs}
        grads = [_slot(self.grads, name) for name in names]
        return Programs(
            make,
            self.n_forward,
            [_slot(self.inputs, name) for name in names],
            self.outputs,
            [-1 if slot is None else slot for slot in self.heads],
            grads,
            [ends.get(slot, 0) for slot in grads],
        )

    def counted(self, kept: LRUCache[Any, Any], key: Any) -> Callable[[], Any]:
        """Return a function that creates programs and adds their bytes to entry `key` of `kept`."""
        table = weakref.ref(kept)  # `kept` owns the programs

        def program() -> Any:
            alive = table()
            if alive is not None:
                alive.grow(key, self.nbytes)
            return self.instantiate()

        return program

    def instantiate(self) -> Any:
        """Return a program; its intermediate results get memory when it enters an arena."""
        if self.layout.nbytes >= _MOST_BYTES:
            raise MemoryError(
                f"cannot allocate {self.layout.nbytes} bytes for intermediate results of a graph"
            )
        arrays = [self.constants.get(slot) for slot in range(len(self.types))]
        offsets = self.layout.offsets
        in_arena = [
            (slot, offsets[slot], found.shape, found.code)
            for slot, found in enumerate(self.types)
            if slot in offsets
        ]
        made: dict[int, Any] = {}
        rows = []
        for call in self.calls:
            made[call.key] = step = call.make(made)
            rows.append((step, call.label, call.inputs, call.outputs))
        sums = {call.outputs[at]: (made[call.key], at) for call in self.calls for at in call.sums}
        return native.Program(rows, arrays, in_arena, self.layout.nbytes, sums)


def _slot(slots: Mapping[str, int], name: str | None) -> int:
    return -1 if name is None else slots.get(name, -1)
