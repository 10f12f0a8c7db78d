"""Native step of each node, and the properties that later passes use."""

from collections.abc import Callable, Collection, Mapping
from math import prod
from types import MappingProxyType
from typing import Any

from ...base.dtypes import code_of
from ...native.calls import computations
from ...native.graph import steps as native
from ...op.calling.binding import make_handle
from ...op.declaring.declaration import OperatorProp
from ...op.declaring.errors import wrapping
from ..node import Node, Type
from .accumulation import TermOperation, accumulating_computation
from .call import Call, Elementwise, Reduction
from .elementwise import elementwise_of
from .epilogues import EpilogueOperation
from .gradient import BackwardOperation, ComputedGradient
from .subgraphs import backward_of, has_subgraphs

__all__ = ["call_of"]

#: Bytes between which the gradient of a mean is divided before it is repeated, in a separate step:
#: in a cache, dividing each element costs up to 6 % more than a step saves. Smaller ones take 0.85
#: of the time in a fused step, larger ones 0.76 to 0.9.
_DIVIDED_BEFORE = (1 << 16, 1 << 22)


def call_of(
    node: Node,
    inputs: list[int],
    outputs: list[int],
    new_slot: Callable[[Type], int],
    sums: Mapping[int, bool] = MappingProxyType({}),
    unread: Collection[int] = (),
) -> Call:
    """Return the step of a node.

    Parameters
    ----------
    node : Node
        A node that is not a variable, with known shapes and types.
    inputs, outputs : list of int
        Slots.
    new_slot : callable
        Returns another slot for a value of a type, used as workspace.
    sums : dict of int to bool, optional
        Outputs that can be accumulated into their slots, and whether the first value is, too: of a
        product, or of the backward of a custom operator.
    unread : collection of int, optional
        Outputs that are not read.
    """
    operation: Any = node.operation
    key = id(node)
    if isinstance(operation, BackwardOperation):
        make = _gradient_of(operation, sums)
        return Call(make, node.name, inputs, outputs, key=key, sums=[*sums])
    if isinstance(operation, TermOperation):
        make = _term(operation.plan, sums.get(0, not operation.begins))
        return Call(make, node.name, inputs[:2], outputs, key=key, sums=[*sums])
    if sums:
        make = _term(node.plan, sums[0])
        return Call(make, node.name, inputs, outputs, key=key, sums=[*sums])
    nbytes = _workspace_of(operation, node.plan)
    if nbytes:
        outputs = [*outputs, new_slot(Type((nbytes,), code_of("uint8")))]
    if isinstance(operation, ComputedGradient):
        make = _gradient_step(operation, bool(nbytes))
        return Call(make, node.name, inputs, outputs, (), None, key)
    if isinstance(operation, EpilogueOperation):
        make = _with_epilogue(operation, bool(nbytes))
        return Call(make, node.name, inputs, outputs, (), None, key)
    plan = node.plan
    how = elementwise_of(node)
    in_place = tuple(getattr(operation.prop, "inplace_pairs", ()))
    return Call(
        _maker(operation, plan, how, bool(nbytes), unread),
        node.name,
        inputs,
        outputs,
        in_place,
        how or _repetition(plan),
        key,
        operation.has_flag("FInplaceIdentity"),
        _reduction(operation, plan),
        _keeps_order(operation, plan),
    )


def _gradient_of(
    operation: BackwardOperation, sums: Mapping[int, bool]
) -> Callable[[dict[int, Any]], Any]:
    if has_subgraphs(operation.forward):
        return backward_of(operation.forward, operation.wanted)
    forward = id(operation.forward)
    requests = ["write" if flag else "null" for flag in operation.wanted]
    for at, adds in sums.items():
        if adds:
            requests[at] = "add"
    return lambda made: native.OperatorBackwardStep(made[forward], requests)


def _term(plan: Any, adds: bool) -> Callable[[dict[int, Any]], Any]:
    added = accumulating_computation(plan)
    return lambda made: native.TermStep(plan, added, adds)


def _workspace_of(operation: Any, plan: Any) -> int:
    """Return the workspace of an operation's step in bytes."""
    if isinstance(operation, ComputedGradient):
        plan = operation.plan
        with wrapping(plan.bound.handle.entry, "backward", plan.in_shapes):
            return int(plan.rule.workspace_bytes(plan, list(operation.computed)))
    if isinstance(operation, EpilogueOperation):
        plan, computation = operation.plan, operation.computation
    elif plan.is_native:
        computation = plan.compute
    else:
        return 0
    with wrapping(plan.bound.handle.entry, "forward", plan.in_shapes):
        return int(computation.workspace_bytes(plan))


def _gradient_step(
    operation: ComputedGradient, has_workspace: bool
) -> Callable[[dict[int, Any]], Any]:
    plan, computed = operation.plan, list(operation.computed)
    return lambda made: native.GradientStep(plan, computed, has_workspace)


def _with_epilogue(
    operation: EpilogueOperation, has_workspace: bool
) -> Callable[[dict[int, Any]], Any]:
    plan, computation = operation.plan, operation.computation
    return lambda made: native.ComputationStep(plan, has_workspace, computation)


def _maker(
    operation: Any,
    plan: Any,
    how: Elementwise | None,
    has_workspace: bool,
    unread: Collection[int],
) -> Callable[[dict[int, Any]], Any]:
    if how is not None and plan.compute is None:
        handle = make_handle(operation.entry)
        return lambda made: native.ElementwiseStep(handle, how.number)
    if plan.compute is not None:
        return lambda made: native.ComputationStep(plan, has_workspace)
    # Operators of MXNet's kind can skip an output; others may read their own outputs.
    skipped = () if issubclass(operation.entry.prop_class, OperatorProp) else unread
    requests = ["null" if at in skipped else "write" for at in range(len(plan.out_shapes))]
    return lambda made: native.OperatorStep(plan, requests)


def _repetition(plan: Any) -> Elementwise | None:
    """Return the kernel that repeats the first input, divided if it is a mean's gradient."""
    how = plan.compute
    if not isinstance(how, computations.Spread):
        return None
    like = tuple(plan.in_shapes[1])
    shape = how.kept_shape(like)
    if not how.mean:
        return Elementwise("unary", "identity", shape=shape)
    nbytes = Type(like, plan.out_codes[0]).nbytes
    if _DIVIDED_BEFORE[0] < nbytes < _DIVIDED_BEFORE[1]:
        return None
    return Elementwise("scalar", "divide", max(prod(like) // max(prod(shape), 1), 1), shape=shape)


def _reduction(operation: Any, plan: Any) -> Reduction | None:
    """Return the reduction of the first input that is the entire operator, if there is one."""
    how = plan.compute
    if isinstance(how, computations.Reduce):
        return Reduction(how.name, how.axes_of(len(plan.in_shapes[0])))
    if not operation.has_flag("IsUnbroadcast"):
        return None
    shape, target = plan.in_shapes[0], plan.out_shapes[0]
    padded = (1,) * (len(shape) - len(target)) + tuple(target)
    return Reduction("sum", tuple(k for k, dim in enumerate(shape) if padded[k] != dim))


def _keeps_order(operation: Any, plan: Any) -> bool:
    """Return whether a call only concatenates values or splits one, in memory order."""
    tells = getattr(operation.prop, "keeps_order", None)
    if tells is None or 1 not in (len(plan.in_shapes), len(plan.out_shapes)):
        return False
    with wrapping(operation.entry, "keeps_order", plan.in_shapes):
        return bool(tells(plan.in_shapes))
