"""From a lowered graph to a native program: slots, steps, and where everything lies.

Values that the caller gives or takes (variables, outputs, gradients) have slots of their own, whose
arrays are put there; everything else lies in one arena.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..native import program as native
from ..op.binding import attribute_names, make_handle
from .gradient import BackwardOperation, differentiate
from .lowering import Lowered
from .memory import Layout, Use, plan_memory
from .node import Edge, Node, Type, topological
from .simplify import merge_equal_calls

__all__ = ["Blueprint", "compile_graph"]

_ITEM_BYTES = (4, 8, 2, 1, 4, 1, 8, 1)  # by type code


@dataclass
class Blueprint:
    """All that is needed to make programs of one graph.

    Parameters
    ----------
    types : list of Type
        Of each slot.
    layout : Layout
        Where those slots lie that no caller gives.
    steps : list of tuple
        A maker of the native step, a label, input slots, output slots.
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
    """

    types: list[Type] = field(default_factory=list)
    layout: Layout = field(default_factory=Layout)
    steps: list[tuple[Callable[[list[Any]], Any], str, list[int], list[int]]] = field(
        default_factory=list
    )
    n_forward: int = 0
    inputs: dict[str, int] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)
    heads: list[int | None] = field(default_factory=list)
    grads: dict[str, int] = field(default_factory=dict)

    def instantiate(self, context: Any) -> Any:
        """Return a program with memory of its own."""
        memory = native.arena(self.layout.nbytes, context)
        arrays = [
            native.arena_view(memory, self.layout.offsets[slot], found.shape, found.code)
            if slot in self.layout.offsets
            else None
            for slot, found in enumerate(self.types)
        ]
        made: list[Any] = []
        for make, _, _, _ in self.steps:
            made.append(make(made))
        rows = [(step, *row[1:]) for step, row in zip(made, self.steps, strict=True)]
        return native.Program(rows, arrays)


def compile_graph(graph: Lowered, requests: Mapping[str, str]) -> Blueprint:
    """Compile a lowered graph and its gradient.

    Parameters
    ----------
    graph : Lowered
    requests : dict of str to {"write", "add"}
        The variables that want a gradient, and how it meets what its array holds.
    """
    heads = [(Node(f"head{i}", types=[n.types[at]]), 0) for i, (n, at) in enumerate(graph.outputs)]
    wanted = [name for name in graph.variables if name in requests]
    grads: list[Edge | None] = []
    if wanted:
        grads = differentiate(graph.outputs, heads, [graph.variables[name] for name in wanted])
    roots = [*graph.outputs, *(edge for edge in grads if edge is not None)]
    replaced = merge_equal_calls(roots)
    outputs = [(replaced.get(id(n), n), at) for n, at in graph.outputs]
    found = {
        name: (replaced.get(id(edge[0]), edge[0]), edge[1])
        for name, edge in zip(wanted, grads, strict=True)
        if edge is not None
    }
    return _Compiler(graph, heads, requests).run(outputs, found)


class _Compiler:
    """One compilation: hands out slots and collects steps."""

    def __init__(self, graph: Lowered, heads: Sequence[Edge], requests: Mapping[str, str]) -> None:
        self.blueprint = Blueprint()
        self.graph = graph
        self.heads = heads
        self.requests = requests
        self.slots: dict[tuple[int, int], int] = {}
        self.step_of: dict[int, int] = {}
        self.external: set[int] = set()
        self.in_place: list[Sequence[tuple[int, int]]] = []

    def run(self, outputs: Sequence[Edge], grads: Mapping[str, Edge]) -> Blueprint:
        """Return the blueprint."""
        made = self.blueprint
        forward = topological(node for node, _ in outputs)
        for name, node in self.graph.variables.items():
            made.inputs[name] = self.give((node, 0))
        stores = self._claim(enumerate(outputs), set(), made.outputs.append, "write")
        self._add_nodes(forward)
        self._add_stores(stores)
        made.n_forward = len(made.steps)
        done = {id(node) for node in forward}
        backward = [n for n in topological(n for n, _ in grads.values()) if id(n) not in done]
        self._name_heads(backward, grads)
        late: list[tuple[Edge, int, str]] = []
        for name, edge in grads.items():
            req = self.requests[name]
            late += self._claim([(name, edge)], done, self._setter(name), req)
        self._add_nodes(backward)
        self._add_stores(late)
        self._lay_out()
        return made

    def _setter(self, name: str) -> Callable[[int], None]:
        def put(slot: int) -> None:
            self.blueprint.grads[name] = slot

        return put

    def _name_heads(self, backward: Sequence[Node], grads: Mapping[str, Edge]) -> None:
        used = {id(node) for node in backward}
        for edge in self.heads:
            self.blueprint.heads.append(self.give(edge) if id(edge[0]) in used else None)

    # -- slots --------------------------------------------------------------------------------

    def slot(self, edge: Edge) -> int:
        """Return the slot of a value, made when it is first asked for."""
        key = (id(edge[0]), edge[1])
        if key not in self.slots:
            self.slots[key] = self.new_slot(edge[0].types[edge[1]])
        return self.slots[key]

    def new_slot(self, found: Type) -> int:
        """Return another slot for a value of this type."""
        self.blueprint.types.append(found)
        return len(self.blueprint.types) - 1

    def give(self, edge: Edge) -> int:
        """Return the slot of a value that the caller gives or takes."""
        slot = self.slot(edge)
        self.external.add(slot)
        return slot

    def _claim(
        self, edges: Any, done: set[int], announce: Callable[[int], None], req: str
    ) -> list[tuple[Edge, int, str]]:
        """Give results slots that the caller sees; return those that have to be stored there.

        A result is written at once where it is computed if only the caller's slot is its place.
        """
        stores: list[tuple[Edge, int, str]] = []
        for _, edge in edges:
            node, index = edge
            settled = (id(node), index) in self.slots or id(node) in done
            if req == "write" and not node.is_variable and not settled:
                announce(self.give(edge))
            else:
                slot = self.new_slot(node.types[index])
                self.external.add(slot)
                announce(slot)
                stores.append((edge, slot, req))
        return stores

    # -- steps --------------------------------------------------------------------------------

    def _add_nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if node.operation is None:
                continue
            self.step_of[id(node)] = len(self.blueprint.steps)
            make, pairs = self._maker(node)
            inputs = [self.slot(edge) for edge in node.inputs]
            outputs = [self.slot((node, index)) for index in range(node.num_outputs)]
            self._add(make, node.name, inputs, outputs, pairs)

    def _add_stores(self, stores: Sequence[tuple[Edge, int, str]]) -> None:
        for edge, slot, req in stores:

            def make(_: list[Any], req: str = req) -> Any:
                return native.StoreStep(req)

            self._add(make, edge[0].name, [self.slot(edge)], [slot], ())

    def _add(
        self,
        make: Callable[[list[Any]], Any],
        label: str,
        inputs: list[int],
        outputs: list[int],
        in_place: Sequence[tuple[int, int]],
    ) -> None:
        self.blueprint.steps.append((make, label, inputs, outputs))
        self.in_place.append(in_place)

    def _maker(self, node: Node) -> tuple[Callable[[list[Any]], Any], Sequence[tuple[int, int]]]:
        """Return what makes the native step of a node, and what it may do in place."""
        operation: Any = node.operation
        if isinstance(operation, BackwardOperation):
            forward = self.step_of[id(operation.forward)]
            wanted = list(operation.wanted)
            return lambda made: native.OperatorBackwardStep(made[forward], wanted), ()
        prop, plan = operation.prop, node.plan
        pairs = tuple(getattr(prop, "inplace_pairs", ()))
        kind = getattr(prop, "native", None)
        if kind is not None:
            number = None
            if kind[0] == "scalar":
                number = getattr(prop, attribute_names(type(prop))[0])
            handle = make_handle(operation.entry)
            return lambda made: native.ElementwiseStep(handle, number), pairs
        if plan.compute is not None:
            return lambda made: native.ComputationStep(plan), pairs
        return lambda made: native.OperatorStep(plan), ()

    # -- memory -------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        made = self.blueprint
        forward_slots = {slot for step in made.steps[: made.n_forward] for slot in step[3]}
        backward_reads = {slot for step in made.steps[made.n_forward :] for slot in step[2]}
        uses = [
            Use(inputs, outputs, pairs)
            for (_, _, inputs, outputs), pairs in zip(made.steps, self.in_place, strict=True)
        ]
        sizes = {
            slot: _nbytes(found)
            for slot, found in enumerate(made.types)
            if slot not in self.external
        }
        # A gradient may be asked for twice: what the backward pass reads stays until its end.
        uses.append(Use(sorted(forward_slots & backward_reads), ()))
        made.layout = plan_memory(uses, sizes)


def _nbytes(found: Type) -> int:
    count = _ITEM_BYTES[found.code]
    for dim in found.shape:
        count *= dim
    return count
