"""Objects that dispatch caches for a registry entry: handles, bound attributes and plans.

Code in this module runs once per set of attribute values or shapes, not on the cached call path.
"""

from typing import Any, Protocol

from ...base.context import HOST_TYPES
from ...base.errors import AttributeValueError, HostAccessError, OperatorError
from ...native.dispatch.plans import Bound, Handle, Plan, elementwise_handle
from ...native.dispatch.rules import ComputationRule, GradientRule, OperatorRule
from ..declaring.attribute import UNSET
from ..declaring.both_protocols import visible_outputs
from ..declaring.declaration import OperatorProp
from ..declaring.element_types import check_types, type_masks
from ..declaring.errors import attribute_error, operator_error, was_checked_here, wrapping
from ..declaring.inference import Inferred, check_output_shapes, check_output_types, infer
from ..declaring.validation import names_of
from ..registry.registry import Entry
from ..registry.table import TABLES
from ..rules.attaching import attach

__all__ = [
    "Placement",
    "attribute_names",
    "bind_declaration",
    "custom_handle",
    "general_handle",
    "graph_handle",
    "make_handle",
    "set_placement",
]


class Placement(Protocol):
    """Choice of what computes an operator on devices other than the CPU; see `op.abi.placement`."""

    def computation_on(self, prop: OperatorProp, entry: Entry, context: Any) -> Any:
        """Return the `compute` of an operator on a device."""

    def missing(self, entry: Entry, context: Any) -> Exception:
        """Return the error for an operator of the CPU."""


#: Handles of graphs, until the rules of operators or the pins change.
_graph_handles: dict[Entry, Handle] = {}
TABLES["rule"].listeners.append(_graph_handles.clear)

#: None until a device is loaded.
_placement: Placement | None = None


def set_placement(placement: Placement) -> None:
    """Set the choice for devices other than the CPU."""
    global _placement
    _placement = placement


def attribute_names(prop_class: type) -> tuple[str, ...]:
    """Return the attribute names of a declaration in the order of the values in dispatch."""
    return tuple(prop_class.attributes) if issubclass(prop_class, OperatorProp) else ()


def make_handle(entry: Entry) -> Handle:
    """Return the dispatch handle of a declared operator."""
    prop_class = entry.prop_class
    if prop_class.elementwise_kernel is None:
        return general_handle(entry)
    kind, kernel = prop_class.elementwise_kernel
    names = attribute_names(prop_class)

    def make(value: Any) -> Any:
        # Called once for each recorded call; the number was already checked and needs no parsing.
        prop = prop_class.__new__(prop_class)
        if kind == "scalar":
            setattr(prop, names[0], value)
        return prop

    return elementwise_handle(
        kind,
        kernel,
        entry,
        _bind_declared,
        make,
        prop_class.saves,
        prop_class.kernel_broadcasts,
        prop_class.kernel_reverse,
    )


def general_handle(entry: Entry) -> Handle:
    """Return the handle of a declared operator, with bound attributes and inferred shapes.

    Dispatch calls elementwise kernels without these; graphs need them for every operator.
    """
    return Handle(entry.name, entry, _bind_declared)


def graph_handle(entry: Entry) -> Handle:
    """Return the handle that all graphs use for an operator; it parses equal attributes once."""
    handle = _graph_handles.get(entry)
    if handle is None:
        handle = _graph_handles.setdefault(entry, general_handle(entry))
    return handle


def custom_handle(entry: Entry) -> Handle:
    """Return the handle that `nd.Custom` uses; its attributes are (name, value) pairs."""
    return Handle(entry.name, entry, _bind_pairs)


def _bind_declared(handle: Handle, values: tuple[Any, ...]) -> Bound:
    names = attribute_names(handle.entry.prop_class)
    return _bind(handle, {n: v for n, v in zip(names, values, strict=True) if v is not UNSET})


def _bind_pairs(handle: Handle, pairs: tuple[tuple[str, Any], ...]) -> Bound:
    return _bind(handle, dict(pairs))


def _bind(handle: Handle, attributes: dict[str, Any]) -> Bound:
    """Create the declaration and read its numbers of inputs."""
    entry = handle.entry
    try:
        prop = entry.prop_class(**attributes)
    except Exception as error:
        if not (isinstance(error, AttributeValueError) and was_checked_here(error)):
            raise operator_error(entry, "constructor", None, error) from error
        if entry.kind == "std":
            raise
        # Checks of typed attributes use MXNet's wording, to which the plugin is added.
        raise attribute_error(entry, error) from None
    if isinstance(prop, OperatorProp):
        attach(prop, entry)
    return bind_declaration(handle, prop)


def bind_declaration(handle: Handle, prop: Any) -> Bound:
    """Return the bound form of an existing declaration."""
    names, masks = names_of(prop, handle.entry), None
    if isinstance(prop, OperatorProp) and prop.compose is not None:
        masks = type_masks(prop, (*names[0], *names[2]))
    return Bound(handle, prop, names, _make_plan, _wrap_error, masks, check_types)


def _make_plan(bound: Bound, context: Any, shapes: list[Any], codes: list[int]) -> Plan:
    """Infer shapes and types, and choose how the operator runs and is differentiated."""
    entry, prop = bound.handle.entry, bound.prop
    inferred = infer(prop, entry, list(shapes), list(codes), bound.names)
    check_output_shapes(prop, entry, inferred)
    check_output_types(prop, entry, inferred)
    is_custom = entry.kind == "custom"
    compute = _compute(prop, entry, context)
    return Plan(
        bound,
        list(inferred.in_shapes) + list(inferred.aux_shapes),
        list(inferred.in_codes) + list(inferred.aux_codes),
        list(inferred.out_shapes),
        list(inferred.out_codes),
        _visible(prop, entry, inferred),
        context,
        compute,
        is_custom,
        _rule(prop, compute, entry, inferred, is_custom),
    )


def _compute(prop: Any, entry: Entry, context: Any) -> Any:
    """Return the computation of an operator on the device of a call, or None."""
    if isinstance(prop, OperatorProp):
        if _placement is None or context.device_typeid in HOST_TYPES:
            return prop.compute_on(context)
        return _placement.computation_on(prop, entry, context)
    return getattr(prop, "compute", None)


def _visible(prop: Any, entry: Entry, inferred: Inferred) -> int:
    """Return the number of outputs that the caller gets."""
    count = len(inferred.out_shapes)
    try:
        visible = visible_outputs(prop, count)
        if not isinstance(visible, int) or not 1 <= visible <= max(count, 1):
            raise ValueError(f"it is {visible!r}, expected an integer from 1 to {count}")
    except Exception as error:
        raise operator_error(entry, "num_visible_outputs", inferred.in_shapes, error) from error
    return int(visible)


def _rule(
    prop: Any, compute: Any, entry: Entry, inferred: Inferred, is_custom: bool
) -> "GradientRule | ComputationRule | OperatorRule | None":
    """Return the gradient rule of an operator; None if it is not differentiable."""
    if not getattr(prop, "differentiable", True):
        return None
    computed = getattr(compute, "gradient", None)
    # A kernel for another device may have its own gradient of an operator that composes one.
    composes = getattr(prop, "gradient", None) is not None
    if composes and not (computed is not None and computed.is_elsewhere):
        return GradientRule(*_reads(prop))
    if compute is not None and computed is None:
        return None
    n_in, n_out = len(inferred.in_shapes), len(inferred.out_shapes)
    ids = list(range(2 * n_out + n_in))
    out_grad, in_data, out_data = ids[:n_out], ids[n_out : n_out + n_in], ids[n_out + n_in :]
    with wrapping(entry, "declare_backward_dependency", inferred.in_shapes):
        read = set(prop.declare_backward_dependency(out_grad, in_data, out_data))
        if not read <= set(ids):
            raise ValueError(
                f"it returned {sorted(read - set(ids), key=str)}, expected elements of out_grad "
                f"{out_grad}, in_data {in_data} and out_data {out_data}"
            )
    reads = tuple([i in read for i in part] for part in (out_grad, in_data, out_data))
    if computed is not None:
        return ComputationRule(computed, *reads)
    return OperatorRule(reads, is_custom)


def _reads(prop: Any) -> tuple[bool, bool]:
    """Return whether the declared gradient reads inputs, and whether it reads outputs."""
    saves = set(prop.saves)
    return (
        not saves.isdisjoint({"inputs", *prop.list_arguments()}),
        not saves.isdisjoint({"outputs", *prop.list_outputs()}),
    )


def _wrap_error(handle: Handle, stage: str, shapes: Any, error: Exception) -> Exception:
    """Return the exception to raise for an exception from an operator's code."""
    entry = handle.entry
    if entry.kind == "std":
        if isinstance(error, HostAccessError) and _placement is not None:
            return _placement.missing(entry, error.context)
        return error
    names = entry.name, getattr(entry.prop_class, "name", None)  # an alias is an entry too
    if isinstance(error, OperatorError) and error.operator in names:
        return error  # names the operator already, as one raised in its own gradient does
    return operator_error(entry, stage, shapes, error)
