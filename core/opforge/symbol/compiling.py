"""From a lowered graph to a native program: slots, steps, and where everything lies.

Values that the caller gives or takes (variables, outputs, gradients) have slots of their own, whose
arrays are put there; everything else lies in one arena.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..native import computations
from ..native import program as native
from ..op.binding import attribute_names, make_handle
from .call import Call, Elementwise, Reduction
from .constants import constant_nodes, evaluate
from .fusion import fuse
from .gradient import BackwardOperation, differentiate
from .lowering import Lowered
from .memory import Layout, Use, plan_memory
from .node import Edge, Node, Type, as_written, topological
from .simplify import merge_equal_calls

__all__ = ["Blueprint", "compile_graph"]

_ITEM_BYTES = (4, 8, 2, 1, 4, 1, 8, 1)  # by type code

#: A mean's gradient of between so many bytes is divided before it is repeated, in its own step:
#: in a cache, dividing every element costs up to 6 % more than a step saves. Smaller ones take 0.85
#: of the time in a fused step, larger ones 0.76 to 0.9.
_DIVIDED_BEFORE = (1 << 16, 1 << 22)


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
        self.external: set[int] = set()
        self.states: set[int] = set()
        self.constants: set[int] = set()
        self.constant_calls: list[Call] = []

    def run(self, outputs: Sequence[Edge], grads: Mapping[str, Edge]) -> Blueprint:
        """Return the blueprint."""
        made = self.blueprint
        self.constants = constant_nodes(topological(n for n, _ in (*outputs, *grads.values())))
        forward = as_written(node for node, _ in outputs)
        for name, node in self.graph.variables.items():
            made.inputs[name] = self.give((node, 0))
        stores = self._claim(enumerate(outputs), set(), made.outputs.append, "write")
        self._add_nodes(forward)
        self._add_stores(stores)
        made.n_forward = len(made.calls)
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
            settled = (id(node), index) in self.slots or id(node) in done | self.constants
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
        """Return the step of a node."""
        operation: Any = node.operation
        inputs = [self.slot(edge) for edge in node.inputs]
        outputs = [self.slot((node, index)) for index in range(node.num_outputs)]
        key = id(node)
        if isinstance(operation, BackwardOperation):
            forward, wanted = id(operation.forward), list(operation.wanted)
            make: Callable[[dict[int, Any]], Any] = lambda made: native.OperatorBackwardStep(  # noqa: E731
                made[forward], wanted
            )
            return Call(make, node.name, inputs, outputs, (), None, key)
        plan = node.plan
        in_place = tuple(getattr(operation.prop, "inplace_pairs", ()))
        how = _elementwise(operation.prop)
        if how is not None:
            handle = make_handle(operation.entry)
            make = lambda made: native.ElementwiseStep(handle, how.number)  # noqa: E731
        elif plan.compute is not None:
            make = lambda made: native.ComputationStep(plan)  # noqa: E731
        else:
            make = lambda made: native.OperatorStep(plan)  # noqa: E731
        identity = _says(operation.prop, "FInplaceIdentity")
        kernel = how or _repetition(plan)
        folds = _reduction(operation.prop, plan)
        return Call(make, node.name, inputs, outputs, in_place, kernel, key, identity, folds)

    # -- memory -------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Fuse steps and plan where intermediate results lie."""
        made = self.blueprint
        made.constants = evaluate(self.constant_calls, made.types)
        self.external |= set(made.constants)
        kept = self.external | self._read_by_backward()
        made.calls, made.n_forward = fuse(made.calls, made.n_forward, made.types, kept, self.states)
        uses = [Use(call.inputs, call.outputs, call.in_place) for call in made.calls]
        used = {slot for call in made.calls for slot in (*call.inputs, *call.outputs)}
        sizes = {slot: _nbytes(made.types[slot]) for slot in used - self.external}
        # A gradient may be asked for twice: what the backward pass reads stays until its end.
        uses.append(Use(sorted(self._read_by_backward()), ()))
        made.layout = plan_memory(uses, sizes)
        self._drop_identities()

    def _drop_identities(self) -> None:
        """Leave out calls whose result already lies where it is to be."""
        made, offsets = self.blueprint, self.blueprint.layout.offsets
        needless = [
            call.identity
            and call.outputs[0] in offsets
            and offsets[call.outputs[0]] == offsets.get(call.inputs[0])
            for call in made.calls
        ]
        made.n_forward -= sum(needless[: made.n_forward])
        made.calls = [c for c, drop in zip(made.calls, needless, strict=True) if not drop]

    def _read_by_backward(self) -> set[int]:
        """Return the results of the forward pass that the backward pass reads."""
        made = self.blueprint
        forward = {slot for call in made.calls[: made.n_forward] for slot in call.outputs}
        return forward & {s for call in made.calls[made.n_forward :] for s in call.inputs}


def _elementwise(prop: Any) -> Elementwise | None:
    """Return the kernel that is the whole operator, if it is one."""
    native_kind = getattr(prop, "native", None)
    if native_kind is None:
        return None
    kind, kernel = native_kind
    number = getattr(prop, attribute_names(type(prop))[0]) if kind == "scalar" else None
    return Elementwise(kind, kernel, number, bool(prop.native_reverse))


def _repetition(plan: Any) -> Elementwise | None:
    """Return the kernel that repeats the first input, perhaps divided, if that is the operator."""
    how = plan.compute
    if not isinstance(how, computations.Spread):
        return None
    like = tuple(plan.in_shapes[1])
    shape = how.kept_shape(like)
    if not how.mean:
        return Elementwise("unary", "identity", shape=shape)
    nbytes = _nbytes(Type(like, plan.out_codes[0]))
    if _DIVIDED_BEFORE[0] < nbytes < _DIVIDED_BEFORE[1]:
        return None
    return Elementwise("scalar", "divide", max(prod(like) // max(prod(shape), 1), 1), shape=shape)


def _says(prop: Any, name: str) -> bool:
    """Tell whether the operator declares a named attribute to be true."""
    named = getattr(type(prop), "named_attribute", None)
    return named is not None and bool(named(name, False))


def _reduction(prop: Any, plan: Any) -> Reduction | None:
    """Return the reduction of the first input that is the whole operator, if it is one."""
    how = plan.compute
    if isinstance(how, computations.Reduce):
        return Reduction(how.name, how.axes_of(len(plan.in_shapes[0])))
    if not _says(prop, "IsUnbroadcast"):
        return None
    shape, target = plan.in_shapes[0], plan.out_shapes[0]
    padded = (1,) * (len(shape) - len(target)) + tuple(target)
    return Reduction("sum", tuple(k for k, dim in enumerate(shape) if padded[k] != dim))


def _nbytes(found: Type) -> int:
    return _ITEM_BYTES[found.code] * prod(found.shape)
