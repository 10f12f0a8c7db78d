"""`Blueprint`: all that is needed to make programs of one graph."""

from dataclasses import dataclass, field
from typing import Any

from ...native.graph import program as native
from ..node import Type
from .call import Call
from .memory import Layout

__all__ = ["Blueprint"]


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
    constants : dict of int to NDArray
        What the slots of constants hold; all programs read the same arrays.
    """

    types: list[Type] = field(default_factory=list)
    layout: Layout = field(default_factory=Layout)
    calls: list[Call] = field(default_factory=list)
    n_forward: int = 0
    inputs: dict[str, int] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)
    heads: list[int | None] = field(default_factory=list)
    grads: dict[str, int] = field(default_factory=dict)
    constants: dict[int, Any] = field(default_factory=dict)

    def instantiate(self, context: Any) -> Any:
        """Return a program with memory of its own."""
        memory = native.arena(self.layout.nbytes, context)
        arrays = [
            native.arena_view(memory, self.layout.offsets[slot], found.shape, found.code)
            if slot in self.layout.offsets
            else self.constants.get(slot)
            for slot, found in enumerate(self.types)
        ]
        made: dict[int, Any] = {}
        rows = []
        for call in self.calls:
            made[call.key] = step = call.make(made)
            rows.append((step, call.label, call.inputs, call.outputs))
        return native.Program(rows, arrays)
