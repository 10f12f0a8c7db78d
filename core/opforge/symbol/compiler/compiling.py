"""From a lowered graph to a native program: slots, steps, and where everything lies.

Values that the caller gives or takes (variables, outputs, gradients) have slots of their own, whose
arrays are put there; everything else lies in one arena.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import Any

from ...native.graph import steps as native
from ...native.graph.steady import SteadyInputs
from ..node import Edge, Node, Type, as_written, topological
from .arranging import arrange
from .batching import batch_rows
from .blueprint import Blueprint
from .call import Call
from .constants import constant_nodes, evaluate
from .elementwise import masks_of
from .epilogues import merge_epilogues
from .fusion import fuse
from .gradient import BackwardOperation, differentiate
from .lowering import Lowered
from .memory import Use, plan_memory
from .simplify import merge_equal_calls
from .steady import Cut, SteadyStore
from .steps import call_of
from .subgraphs import control_call, has_subgraphs
from .sums import ProductSums, join_products
from .terms import beginning, can_add
from .turns import split_products

__all__ = ["compile_graph"]


def compile_graph(
    graph: Lowered,
    requests: Mapping[str, str],
    parameters: Collection[str] = (),
    steady: SteadyStore | None = None,
) -> Blueprint:
    """Compile a lowered graph and its gradient.

    Parameters
    ----------
    graph : Lowered
    requests : dict of str to {"write", "add", "sum"}
        The variables that want a gradient, and how it meets what its array holds; see `turns`.
    parameters : collection of str
        Variables whose arrays seldom change.
    steady : SteadyStore, optional
        Has what is computed of those alone, for this graph and others.
    """
    graph = arrange(batch_rows(graph), requests)
    heads = [(Node(f"head{i}", types=[n.types[at]]), 0) for i, (n, at) in enumerate(graph.outputs)]
    wanted = [name for name in graph.variables if name in requests]
    grads: list[Edge | None] = []
    if wanted:
        grads = differentiate(graph.outputs, heads, [graph.variables[name] for name in wanted])
    roots = [*graph.outputs, *(edge for edge in grads if edge is not None)]
    roots = _replaced(roots, merge_equal_calls(roots))
    sums = join_products(roots[: len(graph.outputs)], roots)
    roots = _replaced(roots, sums.replaced)
    cuts: list[Cut] = []
    if steady is not None:
        still = [n for name, n in graph.variables.items() if name in {*parameters} - {*requests}]
        roots, cuts = steady.cut(roots, still, lambda part: compile_graph(part, {}))
    roots = _replaced(roots, merge_epilogues(roots))
    outputs, rest = roots[: len(graph.outputs)], iter(roots[len(graph.outputs) :])
    named = zip(wanted, grads, strict=True)
    found = {name: next(rest) for name, edge in named if edge is not None}
    found, requests, products = split_products(found, requests)
    made = _Compiler(graph, heads, requests).run(outputs, found, cuts, sums)
    made.products = products
    return made


def _replaced(edges: Sequence[Edge], by: Mapping[int, Node]) -> list[Edge]:
    return [(by.get(id(node), node), at) for node, at in edges]


def _key(edge: Edge) -> tuple[int, int]:
    """Return what tells whether two values lie in one place."""
    node, index = beginning(edge)
    return id(node), index


def _is_authors(node: Node) -> bool:
    """Tell whether a node calls an author's own backward."""
    operation: Any = node.operation
    return isinstance(operation, BackwardOperation) and not has_subgraphs(operation.forward)


class _Compiler:
    """One compilation: hands out slots and collects steps."""

    def __init__(self, graph: Lowered, heads: Sequence[Edge], requests: Mapping[str, str]) -> None:
        self.blueprint = Blueprint()
        self.graph = graph
        self.heads = heads
        self.requests = requests
        self.slots: dict[tuple[int, int], int] = {}
        self.external: set[int] = set()
        self.states: set[int] = set()
        self.constants: set[int] = set()
        #: Results that can be added to what their slots hold, and whether they are from the start.
        self.sums: dict[tuple[int, int], bool] = {}
        self.constant_calls: list[Call] = []
        #: By node id: of which arguments its own backward computes the gradient.
        self.differentiated: dict[int, tuple[bool, ...]] = {}
        #: By node id and output: values that nodes or the caller read.
        self.read: set[tuple[int, int]] = set()

    def run(
        self,
        outputs: Sequence[Edge],
        grads: Mapping[str, Edge],
        cuts: Sequence[Cut],
        sums: ProductSums,
    ) -> Blueprint:
        """Return the blueprint."""
        made = self.blueprint
        self.constants = constant_nodes(topological(n for n, _ in (*outputs, *grads.values())))
        forward = as_written(node for node, _ in outputs)
        done = {id(node) for node in forward}
        # The last layer's gradients come first: what they are made of is needed no longer, and
        # whoever waits for them need not wait for those of all layers before.
        last_first = topological([node for node, _ in grads.values()][::-1])
        backward = sums.in_time([node for node in last_first if id(node) not in done])
        for node in backward:
            if isinstance(node.operation, BackwardOperation):
                self.differentiated[id(node.operation.forward)] = node.operation.wanted
        edges = [*outputs, *grads.values(), *(e for n in (*forward, *backward) for e in n.inputs)]
        self.read = {(id(node), at) for node, at in edges}
        for name, node in self.graph.variables.items():
            made.inputs[name] = self.give((node, 0))
        made.steady = SteadyInputs(
            [(v, self.give((node, 0)), [made.inputs[n] for n in names]) for node, v, names in cuts]
        )
        stores = self._claim(enumerate(outputs), set(), made.outputs.append, "write")
        self._add_nodes(forward)
        self._add_stores(stores)
        made.n_forward = len(made.calls)
        self._name_heads(backward, grads)
        late: list[tuple[Edge, int, str]] = []
        self._find_sums(backward, grads)
        for name, edge in grads.items():
            req = self.requests[name]
            late += self._claim([(name, edge)], done, self._setter(name), req)
        self._add_nodes(backward)
        self._add_stores(late)
        self._lay_out()
        return made

    def _find_sums(self, backward: Sequence[Node], grads: Mapping[str, Edge]) -> None:
        """Note gradients that can be added to what the caller's arrays hold.

        Nothing else may read such a result: it is no gradient any more, but a sum.
        """
        edges = [*grads.values(), *(edge for node in backward for edge in node.inputs)]
        uses = Counter((id(node), index) for node, index in edges)
        computed = {id(node) for node in backward} - self.constants
        for name, (node, index) in grads.items():
            first, at = beginning((node, index))
            is_alone = id(first) in computed and uses[id(node), index] == 1
            if is_alone and (can_add((first, at)) or _is_authors(first)):
                self.sums[id(first), at] = self.requests[name] == "add"

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
        """Return the slot of a value, made when it is first asked for; a sum's terms share one."""
        key = _key(edge)
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
            key = _key(edge)
            settled = key in self.slots or id(node) in done | self.constants
            at_once = req == "write" or key in self.sums
            if at_once and not node.is_variable and not settled:
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
            if node.operation is not None:
                self.states.update(self.slot(edge) for edge in node.state_inputs)
                constant = id(node) in self.constants
                calls = self.constant_calls if constant else self.blueprint.calls
                calls.append(self._call(node))

    def _add_stores(self, stores: Sequence[tuple[Edge, int, str]]) -> None:
        for edge, slot, req in stores:

            def make(_: dict[int, Any], req: str = req) -> Any:
                return native.StoreStep(req)

            self.blueprint.calls.append(Call(make, edge[0].name, [self.slot(edge)], [slot]))

    def _call(self, node: Node) -> Call:
        inputs = [self.slot(edge) for edge in node.inputs]
        outputs = range(node.num_outputs)
        sums = {i: self.sums[id(node), i] for i in outputs if (id(node), i) in self.sums}
        slots = [self.slot((node, i)) for i in outputs]
        if has_subgraphs(node):
            wanted = self.differentiated.get(id(node), ())
            return control_call(node, inputs, slots, wanted, compile_graph)
        # As in MXNet, the author's backward may read all outputs of the forward.
        is_kept = id(node) in self.differentiated
        unread = [] if is_kept else [i for i in outputs if (id(node), i) not in self.read]
        return call_of(node, inputs, slots, self.new_slot, sums, unread)

    # -- memory -------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Fuse steps and plan where intermediate results lie."""
        made = self.blueprint
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
        # A gradient may be asked for twice: what the backward pass reads stays until its end.
        uses.append(Use(sorted(self._read_by_backward()), ()))
        made.layout = plan_memory(uses, sizes)
        self._drop_identities(masks)

    def _drop_identities(self, masks: Set[int]) -> None:
        """Leave out calls whose result already lies where it is to be.

        Those of masks stay: each says of its result what it is.
        """
        made = self.blueprint
        needless = []
        for call in made.calls:
            sources = call.inputs if call.in_order else call.inputs[: call.identity]
            begin = self._begin(sources) if masks.isdisjoint((*sources, *call.outputs)) else None
            needless.append(begin is not None and begin == self._begin(call.outputs))
        made.n_forward -= sum(needless[: made.n_forward])
        made.calls = [c for c, drop in zip(made.calls, needless, strict=True) if not drop]

    def _begin(self, slots: Sequence[int]) -> int | None:
        """Return where values lie in the arena that lie there one behind the other."""
        made = self.blueprint
        begins = [made.layout.offsets.get(slot, -1) for slot in slots]
        ends = [begin + made.types[slot].nbytes for begin, slot in zip(begins, slots, strict=True)]
        return begins[0] if begins and min(begins) >= 0 and begins[1:] == ends[:-1] else None

    def _read_by_backward(self) -> set[int]:
        """Return the results of the forward pass that the backward pass reads."""
        made = self.blueprint
        forward = {slot for call in made.calls[: made.n_forward] for slot in call.outputs}
        return forward & {s for call in made.calls[made.n_forward :] for s in call.inputs}
