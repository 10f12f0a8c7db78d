"""Compilation of a lowered graph to a native program: slots, steps and memory layout.

Values that the caller passes in or receives (variables, outputs, gradients) have external slots,
whose arrays are set for each run; all other values share one arena.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from ...native.graph import steps as native
from ...native.graph.steady import SteadyInputs
from ..node import Edge, Node, Type, program_order, topological, with_replacements
from .accumulation import can_add, first_term
from .batching import batch_rows
from .call import Call
from .common_subexpressions import merge_equal_calls
from .compiled_graph import CompiledGraph
from .constants import constant_nodes, evaluate
from .elementwise import masks_of
from .epilogues import merge_epilogues
from .fusion import fuse
from .gradient import BackwardOperation, differentiate
from .gradient_sums import ProductSums, join_products
from .layout_assignment import assign_layouts
from .loop_gradients import split_products
from .lowering import Lowered
from .memory import Use, plan_memory
from .steady_values import Cut, SteadyStore
from .steps import call_of
from .subgraphs import control_call, has_subgraphs

__all__ = ["compile_graph"]

#: A result, the slot to which it is copied, and how: "write" or "add".
Store = tuple[Edge, int, str]


def compile_graph(
    graph: Lowered,
    requests: Mapping[str, str],
    parameters: Collection[str] = (),
    steady: SteadyStore | None = None,
) -> CompiledGraph:
    """Compile a lowered graph and its gradient.

    Parameters
    ----------
    graph : Lowered
    requests : dict of str to {"write", "add", "sum"}
        Variables that need a gradient, and how it is combined with the array's content; see
        `loop_gradients`.
    parameters : collection of str
        Variables whose arrays seldom change.
    steady : SteadyStore, optional
        Store of values computed from those alone, shared between graphs.
    """
    graph = assign_layouts(batch_rows(graph), requests)
    heads = [(Node(f"head{i}", types=[n.types[at]]), 0) for i, (n, at) in enumerate(graph.outputs)]
    wanted = [name for name in graph.variables if name in requests]
    grads: list[Edge | None] = []
    if wanted:
        grads = differentiate(graph.outputs, heads, [graph.variables[name] for name in wanted])
    roots = (*graph.outputs, *[edge for edge in grads if edge is not None])
    roots = with_replacements(roots, merge_equal_calls(roots))
    sums = join_products(roots[: len(graph.outputs)], roots)
    roots = with_replacements(roots, sums.replaced)
    cuts: list[Cut] = []
    if steady is not None:
        unchanging = [
            n for name, n in graph.variables.items() if name in {*parameters} - {*requests}
        ]
        roots, cuts = steady.cut(roots, unchanging, lambda part: compile_graph(part, {}))
    roots = with_replacements(roots, merge_epilogues(roots))
    outputs, rest = roots[: len(graph.outputs)], iter(roots[len(graph.outputs) :])
    named = zip(wanted, grads, strict=True)
    found = {name: next(rest) for name, edge in named if edge is not None}
    found, requests, products = split_products(found, requests)
    made = _Compiler(graph, heads, requests).run(outputs, found, cuts, sums)
    made.products = products
    return made


def _has_custom_backward(node: Node) -> bool:
    """Return whether a node calls the ``backward`` of a custom operator."""
    operation: Any = node.operation
    return isinstance(operation, BackwardOperation) and not has_subgraphs(operation.forward)


class _Compiler:
    """One compilation: assigns slots and collects steps."""

    def __init__(self, graph: Lowered, heads: Sequence[Edge], requests: Mapping[str, str]) -> None:
        self.compiled = CompiledGraph()
        self.graph = graph
        self.heads = heads
        self.requests = requests
        #: Slot of each value; the terms of a sum share that of the first term.
        self.slots: dict[Edge, int] = {}
        self.external: set[int] = set()
        self.states: set[int] = set()
        self.constants: set[int] = set()
        #: Results that can be accumulated into their slots, and whether the first one is, too.
        self.sums: dict[Edge, bool] = {}
        self.constant_calls: list[Call] = []
        #: Node id -> arguments for which its own backward computes the gradient.
        self.differentiated: dict[int, tuple[bool, ...]] = {}
        #: Values that a node or the caller reads.
        self.read: set[Edge] = set()

    def run(
        self,
        outputs: Sequence[Edge],
        grads: dict[str, Edge],
        cuts: Sequence[Cut],
        sums: ProductSums,
    ) -> CompiledGraph:
        """Return the compiled graph."""
        made = self.compiled
        self.constants = constant_nodes(topological([*outputs, *grads.values()]))
        forward = program_order(outputs)
        done = {id(node) for node in forward}
        # Gradients of the last layers come first: the values they read are freed sooner, and a
        # caller that waits for one of them does not wait for the gradients of all other layers.
        last_first = topological(reversed(grads.values()))
        backward = sums.schedule([node for node in last_first if id(node) not in done])
        for node in backward:
            if isinstance(node.operation, BackwardOperation):
                self.differentiated[id(node.operation.forward)] = node.operation.wanted
        self.read = {*outputs, *grads.values()}
        self.read.update(*[node.inputs for node in (*forward, *backward)])
        for name, node in self.graph.variables.items():
            made.inputs[name] = self.external_slot((node, 0))
        made.steady = SteadyInputs(
            [
                (v, self.external_slot((node, 0)), [made.inputs[n] for n in names])
                for node, v, names in cuts
            ]
        )
        stores: list[Store] = []
        made.outputs = [self._assign_result(edge, "write", set(), stores) for edge in outputs]
        self._add_nodes(forward)
        self._add_stores(stores)
        made.n_forward = len(made.calls)
        self._name_heads(backward, grads)
        self._find_sums(backward, grads)
        stores = []
        for name, edge in grads.items():
            made.grads[name] = self._assign_result(edge, self.requests[name], done, stores)
        self._add_nodes(backward)
        self._add_stores(stores)
        self._lay_out()
        return made

    def _find_sums(self, backward: Sequence[Node], grads: Mapping[str, Edge]) -> None:
        """Find the gradients that can be accumulated into the caller's arrays.

        Nothing else may read such a result, which is a sum and no longer the gradient.
        """
        uses = Counter([*grads.values(), *[edge for node in backward for edge in node.inputs]])
        computed = {id(node) for node in backward} - self.constants
        for name, edge in grads.items():
            first = first_term(edge)
            is_alone = id(first[0]) in computed and uses[edge] == 1
            if is_alone and (can_add(first) or _has_custom_backward(first[0])):
                self.sums[first] = self.requests[name] == "add"

    def _name_heads(self, backward: Sequence[Node], grads: Mapping[str, Edge]) -> None:
        used = {id(node) for node in backward}
        for edge in self.heads:
            self.compiled.heads.append(self.external_slot(edge) if id(edge[0]) in used else None)

    # -- slots --------------------------------------------------------------------------------

    def slot(self, edge: Edge) -> int:
        """Return the slot of a value, created on first use."""
        first = first_term(edge)
        if first not in self.slots:
            self.slots[first] = self.new_slot(edge[0].types[edge[1]])
        return self.slots[first]

    def new_slot(self, found: Type) -> int:
        """Return a new slot for a value of this type."""
        self.compiled.types.append(found)
        return len(self.compiled.types) - 1

    def external_slot(self, edge: Edge) -> int:
        """Return the slot of a value that the caller passes in or receives."""
        slot = self.slot(edge)
        self.external.add(slot)
        return slot

    def _assign_result(self, edge: Edge, req: str, done: Set[int], stores: list[Store]) -> int:
        """Return an external slot for a result; add it to `stores` if it has to be copied there.

        A step writes its result directly if the external slot is the only one of the result.
        """
        node, index = edge
        first = first_term(edge)
        settled = first in self.slots or id(node) in done or id(node) in self.constants
        if (req == "write" or first in self.sums) and not node.is_variable and not settled:
            return self.external_slot(edge)
        slot = self.new_slot(node.types[index])
        self.external.add(slot)
        stores.append((edge, slot, req))
        return slot

    # -- steps --------------------------------------------------------------------------------

    def _add_nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if node.operation is not None:
                self.states.update(map(self.slot, node.state_inputs))
                constant = id(node) in self.constants
                calls = self.constant_calls if constant else self.compiled.calls
                calls.append(self._call(node))

    def _add_stores(self, stores: Sequence[Store]) -> None:
        for edge, slot, req in stores:

            def make(_: dict[int, Any], req: str = req) -> Any:
                return native.StoreStep(req)

            self.compiled.calls.append(Call(make, edge[0].name, [self.slot(edge)], [slot]))

    def _call(self, node: Node) -> Call:
        inputs = [self.slot(edge) for edge in node.inputs]
        outputs = range(node.num_outputs)
        sums = {i: self.sums[node, i] for i in outputs if (node, i) in self.sums}
        slots = [self.slot((node, i)) for i in outputs]
        if has_subgraphs(node):
            wanted = self.differentiated.get(id(node), ())
            return control_call(node, inputs, slots, wanted, compile_graph)
        # As in MXNet, the backward of a custom operator may read all outputs of its forward.
        is_kept = id(node) in self.differentiated
        unread = [] if is_kept else [i for i in outputs if (node, i) not in self.read]
        return call_of(node, inputs, slots, self.new_slot, sums, unread)

    # -- memory -------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Fuse steps and plan the memory of intermediate results."""
        made = self.compiled
        made.constants = evaluate(self.constant_calls, made.types)
        masks = masks_of(made.calls)
        self.external |= set(made.constants)
        kept = self.external | self._read_by_backward()
        made.calls, made.n_forward = fuse(made.calls, made.n_forward, made.types, kept, self.states)
        uses = [
            Use(c.inputs, c.outputs, c.in_place, c.in_order and masks.isdisjoint(c.inputs))
            for c in made.calls
        ]
        used = {slot for call in made.calls for slot in (*call.inputs, *call.outputs)}
        sizes = {slot: made.types[slot].nbytes for slot in used - self.external}
        # A gradient may be computed twice: values read by the backward pass live until its end.
        uses.append(Use(sorted(self._read_by_backward()), ()))
        made.layout = plan_memory(uses, sizes)
        self._drop_identities(masks)

    def _drop_identities(self, masks: Set[int]) -> None:
        """Remove calls whose result is already in its destination.

        Calls that return masks stay: each marks its result as a mask.
        """
        made = self.compiled
        needless = []
        for call in made.calls:
            sources = call.inputs if call.in_order else call.inputs[: call.identity]
            begin = (
                self._common_offset(sources)
                if sources and masks.isdisjoint((*sources, *call.outputs))
                else None
            )
            needless.append(begin is not None and begin == self._common_offset(call.outputs))
        made.n_forward -= sum(needless[: made.n_forward])
        made.calls = [c for c, drop in zip(made.calls, needless, strict=True) if not drop]

    def _common_offset(self, slots: Sequence[int]) -> int | None:
        """Return the arena offset of values that are adjacent in the arena, or None."""
        made = self.compiled
        begins = [made.layout.offsets.get(slot, -1) for slot in slots]
        ends = [begin + made.types[slot].nbytes for begin, slot in zip(begins, slots, strict=True)]
        return begins[0] if begins and min(begins) >= 0 and begins[1:] == ends[:-1] else None

    def _read_by_backward(self) -> set[int]:
        """Return the slots of the forward pass that the backward pass reads."""
        made = self.compiled
        forward = {slot for call in made.calls[: made.n_forward] for slot in call.outputs}
        return forward & {s for call in made.calls[made.n_forward :] for s in call.inputs}
