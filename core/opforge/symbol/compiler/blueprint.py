"""`Blueprint`: all that is needed to make programs of one graph."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.recency import Recent
from ...native.graph import program as native
from ...native.graph.programs import Programs
from ...native.graph.steady import SteadyInputs
from ..node import Type
from .call import Call
from .memory import Layout
from .turns import Product

__all__ = ["Blueprint"]

#: Measured with tracemalloc, for programs of 4 to 200 steps.
_BYTES_PER_CALL = 1000
_BYTES_PER_SLOT = 500

#: No machine has so much, and sizes beyond are no C integers.
_MOST_BYTES = 1 << 62


@dataclass
class Blueprint:
    """All that is needed to make programs of one graph.

    Parameters
    ----------
    types : list of Type
        Of each slot.
    layout : Layout
        Where those slots lie that no caller gives.
    calls : list of Call
    n_forward : int
        How many steps are the forward pass; the rest is the backward pass.
    inputs : dict of str to int
        Slots of the variables.
    outputs : list of int
        Slots of the outputs.
    heads : list of int or None
        Slots of the outputs' gradients; None where nothing reads it.
    grads : dict of str to int
        Slots of the variables' gradients; without those that nothing flows into.
    products : dict of str to Product
        Gradients that are products, summed over turns, in the place of which the values that are
        multiplied are among `grads`.
    constants : dict of int to NDArray
        What the slots of constants hold; all programs read the same arrays.
    steady : SteadyInputs
        What slots hold that is computed only where the variables that it depends on have changed.
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
        """Approximate bytes of this and one program of it, without shared regions."""
        constants = sum(self.types[slot].nbytes for slot in self.constants)
        return constants + _BYTES_PER_CALL * len(self.calls) + _BYTES_PER_SLOT * len(self.types)

    def programs(self, names: Sequence[str | None], make: Callable[[], Any]) -> Any:
        """Return programs for callers that give variables in the order of `names`.

        Parameters
        ----------
        names : sequence of str or None
            None for what no variable takes.
        make : callable
            Returns a new program: `instantiate`, or what `counted` returns.
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

    def counted(self, kept: Recent[Any, Any], key: Any) -> Callable[[], Any]:
        """Return what makes programs that count where the caller keeps them, under `key`."""
        table = weakref.ref(kept)  # which has the programs

        def program() -> Any:
            alive = table()
            if alive is not None:
                alive.grow(key, self.nbytes)
            return self.instantiate()

        return program

    def instantiate(self) -> Any:
        """Return a program, whose intermediate results get their memory when it enters an arena."""
        if self.layout.nbytes >= _MOST_BYTES:
            raise MemoryError(
                f"cannot allocate {self.layout.nbytes} bytes for intermediate results of a graph"
            )
        arrays = [self.constants.get(slot) for slot in range(len(self.types))]
        offsets = self.layout.offsets
        placed = [
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
        return native.Program(rows, arrays, placed, self.layout.nbytes, sums)


def _slot(slots: Mapping[str, int], name: str | None) -> int:
    return -1 if name is None else slots.get(name, -1)
