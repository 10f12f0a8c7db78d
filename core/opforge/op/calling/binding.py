"""From a registry entry to what dispatch caches: handles, bound attributes and plans.

Everything here runs once per attribute values or once per shapes, never on the cached call path.
"""

from typing import Any

from ...base.errors import AttributeValueError, OperatorError
from ...native.dispatch.plans import Bound, Handle, Plan, elementwise_handle
from ...native.dispatch.rules import ComputationRule, GradientRule, OperatorRule
from ..declaring.answers import names_of
from ..declaring.attribute import UNSET
from ..declaring.declaration import OperatorProp
from ..declaring.errors import attribute_error, operator_error, was_checked_here, wrapping
from ..declaring.inference import Inferred, check_output_shapes, check_output_types, infer
from ..registry.registry import Entry

__all__ = ["attribute_names", "bind_declaration", "custom_handle", "general_handle", "make_handle"]


def attribute_names(prop_class: type) -> tuple[str, ...]:
    """Return the attributes of a declaration in the order in which dispatch passes their values."""
    return tuple(prop_class.attributes) if issubclass(prop_class, OperatorProp) else ()


def make_handle(entry: Entry) -> Handle:
    """Return the dispatch handle of a declared operator."""
    prop_class = entry.prop_class
    if prop_class.elementwise_kernel is None:
        return general_handle(entry)
    kind, kernel = prop_class.elementwise_kernel
    names = attribute_names(prop_class)

    def make(value: Any) -> Any:
        # Once a recorded call: the number was checked, so it need not be parsed again.
        prop = prop_class.__new__(prop_class)
        if kind == "scalar":
            setattr(prop, names[0], value)
        return prop

    return elementwise_handle(
        kind,
        kernel,
        entry,
        make,
        prop_class.saves,
        prop_class.kernel_broadcasts,
        prop_class.kernel_reverse,
    )


def general_handle(entry: Entry) -> Handle:
    """Return the handle of a declared operator whose attributes are bound and shapes inferred.

    Dispatch calls an elementwise kernel without either; graphs need both of every operator.
    """
    return Handle(entry.name, entry, _bind_declared)


def custom_handle(entry: Entry) -> Handle:
    """Return the handle that `nd.Custom` uses; its attributes are (name, value) pairs."""
    return Handle(entry.name, entry, _bind_pairs)


def _bind_declared(handle: Handle, values: tuple[Any, ...]) -> Bound:
    names = attribute_names(handle.entry.prop_class)
    return _bind(handle, {n: v for n, v in zip(names, values, strict=True) if v is not UNSET})


def _bind_pairs(handle: Handle, pairs: tuple[tuple[str, Any], ...]) -> Bound:
    return _bind(handle, dict(pairs))


def _bind(handle: Handle, attributes: dict[str, Any]) -> Bound:
    """Make the declaration and read its numbers of inputs."""
    entry = handle.entry
    try:
        prop = entry.prop_class(**attributes)
    except Exception as error:
        if not (isinstance(error, AttributeValueError) and was_checked_here(error)):
            raise operator_error(entry, "constructor", None, error) from error
        if entry.kind == "std":
            raise
        # A typed attribute's own check speaks MXNet's words; the plugin is added to them.
        raise attribute_error(entry, error) from None
    return bind_declaration(handle, prop)


def bind_declaration(handle: Handle, prop: Any) -> Bound:
    """Return a declaration that is made already, with its attributes, as dispatch has it."""
    arguments, _, states = names_of(prop, handle.entry)
    return Bound(handle, prop, len(arguments), len(states), _make_plan, _wrap_error)


def _make_plan(bound: Bound, context: Any, shapes: list[Any], codes: list[int]) -> Plan:
    """Infer shapes and types, and settle how the operator runs and differentiates."""
    entry, prop = bound.handle.entry, bound.prop
    inferred = infer(prop, entry, list(shapes), list(codes))
    check_output_shapes(prop, entry, inferred)
    check_output_types(prop, entry, inferred)
    is_custom = entry.kind == "custom"
    return Plan(
        bound,
        list(inferred.in_shapes) + list(inferred.aux_shapes),
        list(inferred.in_codes) + list(inferred.aux_codes),
        list(inferred.out_shapes),
        list(inferred.out_codes),
        _visible(prop, entry, inferred),
        context,
        getattr(prop, "compute", None),
        is_custom,
        _rule(prop, entry, inferred, is_custom),
    )


def _visible(prop: Any, entry: Entry, inferred: Inferred) -> int:
    """Return how many outputs the caller gets."""
    count = len(inferred.out_shapes)
    with wrapping(entry, "num_visible_outputs", inferred.in_shapes):
        visible = getattr(prop, "num_visible_outputs", count)
        if not isinstance(visible, int) or not 1 <= visible <= max(count, 1):
            raise ValueError(f"it is {visible!r}, expected a number from 1 to {count}")
    return visible


def _rule(
    prop: Any, entry: Entry, inferred: Inferred, is_custom: bool
) -> "GradientRule | ComputationRule | OperatorRule | None":
    """Return how the operator differentiates; None: not at all."""
    if not getattr(prop, "differentiable", True):
        return None
    if getattr(prop, "gradient", None) is not None:
        return GradientRule(*_reads(prop))
    compute = getattr(prop, "compute", None)
    computed = getattr(compute, "gradient", None)
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
    """Tell whether the declared gradient reads inputs and whether it reads outputs."""
    saves = set(prop.saves)
    return (
        not saves.isdisjoint({"inputs", *prop.list_arguments()}),
        not saves.isdisjoint({"outputs", *prop.list_outputs()}),
    )


def _wrap_error(handle: Handle, stage: str, shapes: Any, error: Exception) -> Exception:
    """Return the exception to raise for one from an operator's code."""
    entry = handle.entry
    if entry.kind == "std":
        return error
    if isinstance(error, OperatorError) and error.operator == entry.name:
        return error  # of its own gradient, which is an operator too and has said it
    return operator_error(entry, stage, shapes, error)
