"""Choice of what computes an operator on a device."""

from collections.abc import Sequence
from functools import partial
from types import MethodType
from typing import Any

from ...base.context import Context, cpu
from ...base.dtypes import NAMES, code_of
from ...base.errors import DTypeError, PluginError, ShapeError
from ...native.abi.computations import ForeignForward, MissingForward
from ...native.abi.instance import ForeignInstance
from ...native.abi.table import CPU
from ...native.array import copy_into, empty
from ...native.calls.computation import Computation
from ..declaring.declaration import OperatorProp
from ..declaring.errors import OperatorContextError, origin, shapes_text
from ..declaring.inference import infer
from ..declaring.values import DType, Floats, OptionalInts, Shape
from ..registry.entry import Entry
from ..rules.table import find
from .devices import device_of, kernel_of, type_names

__all__ = [
    "ATTRIBUTE_KINDS",
    "attribute_values",
    "checked_types",
    "computation_on",
    "foreign_forward",
    "missing",
]

#: Type of an attribute -> kind under which C functions receive it.
ATTRIBUTE_KINDS: dict[Any, str] = {
    int: "int",
    bool: "int",
    DType: "dtype",
    float: "float",
    str: "text",
    Shape: "ints",
    OptionalInts: "ints",
    Floats: "floats",
}


def computation_on(prop: OperatorProp, entry: Entry, context: Context) -> Any:
    """Return the `compute` of an operator on a device; without a kernel, one that raises an error.

    Parameters
    ----------
    prop : OperatorProp
    entry : Entry
    context : Context
        Of another device than the CPU.

    Returns
    -------
    Computation, callable or None
        None: the object from `create_operator` computes.
    """
    kind, number = device_of(context)
    kernel = kernel_of(kind, entry.provider, prop.name)
    if kernel is not None:
        instance = ForeignInstance(kernel, attribute_values(prop), number)
        return foreign_forward(prop, instance, partial(checked_types, prop, entry))
    rule = find(f"compute.{context.device_type}", prop.name)
    if rule is not None:
        return MethodType(rule, prop)
    compute = prop.compute_on(context)
    on_cpu = isinstance(compute, Computation) and not compute.is_elsewhere
    if compute is not None and not prop.list_arguments():
        return partial(_computed_by_cpu, compute)
    if on_cpu or prop.elementwise_kernel is not None:
        differentiable = getattr(compute, "gradient", None) is not None
        return MissingForward(partial(missing, entry, context), differentiable)
    return compute


def _computed_by_cpu(
    compute: Any, in_data: Any, out_data: Any, req: Sequence[str], is_train: int
) -> None:
    """Compute outputs on the CPU and copy them, for operators without inputs."""
    staged = [empty(array.shape, array.dtype_code, cpu()) for array in out_data]
    compute(in_data, staged, ["write"] * len(staged), is_train)
    for target, source in zip(out_data, staged, strict=True):
        copy_into(target, source)


def foreign_forward(prop: OperatorProp, instance: ForeignInstance, infer: Any) -> ForeignForward:
    """Return the computation that calls the C functions of an instance of an operator.

    Parameters
    ----------
    prop : OperatorProp
    instance : ForeignInstance
    infer : callable
        Maps the shapes and type codes of the inputs to those of the outputs, with checks.
    """
    counts = len(prop.list_arguments()), len(prop.list_outputs())
    return ForeignForward(instance, *counts, infer, len(prop.list_auxiliary_states()))


def missing(entry: Entry, context: Context, types: Sequence[int] = (CPU,)) -> OperatorContextError:
    """Return the error for a device that an operator has no kernel for.

    Parameters
    ----------
    entry : Entry
    context : Context
    types : sequence of int, default CPU
        DLPack's types of the devices that it has kernels for.
    """
    return OperatorContextError(
        f"{origin(entry)} has no kernel for device {str(context)!r}; it has kernels for "
        f"{type_names(types)}: move its inputs there with as_in_context, or install a "
        "release of the plugin that supports this device",
        operator=entry.name,
        provider=entry.provider_text,
    )


def attribute_values(prop: OperatorProp) -> list[tuple[str, str, Any]]:
    """Return name, kind and value of each attribute for C functions."""
    found = []
    for key, attribute in prop.attributes.items():
        kind = ATTRIBUTE_KINDS.get(attribute.type)
        if kind is None:
            raise PluginError(
                f"operator {prop.name!r}: the attribute {key!r} is of type "
                f"{attribute.type.__name__}, which C functions do not support; use one of "
                f"{', '.join(kind.__name__ for kind in ATTRIBUTE_KINDS)}"
            )
        value = getattr(prop, key)
        if attribute.type is DType and value is not None:
            value = code_of(value)
        found.append((key, kind, value))
    return found


def checked_types(
    prop: OperatorProp, entry: Entry, shapes: Sequence[Any], codes: Sequence[int]
) -> tuple[Any, Any]:
    """Return shapes and type codes of the outputs, after checking those of the inputs.

    Inference treats 0 as an unknown dimension that it may fill in; the arrays of a call must match
    the inferred shapes exactly.

    Parameters
    ----------
    prop : OperatorProp
    entry : Entry
    shapes, codes : sequence
        Those of arguments, then auxiliary states.
    """
    inferred = infer(prop, entry, shapes, codes)
    names = [*prop.list_arguments(), *prop.list_auxiliary_states()]
    found = (*inferred.in_shapes, *inferred.aux_shapes)
    kinds = (*inferred.in_codes, *inferred.aux_codes)
    for name, given, wanted in zip(names, shapes, found, strict=True):
        if tuple(given) != wanted:
            raise ShapeError(
                f"operator {prop.name!r}: input {name!r} has shape {tuple(given)}, expected "
                f"{wanted}; the inputs have shapes {shapes_text(shapes)}"
            )
    for name, code, kind in zip(names, codes, kinds, strict=True):
        if code != kind:
            raise DTypeError(
                f"operator {prop.name!r}: input {name!r} is {NAMES[code]}, expected {NAMES[kind]}"
            )
    return inferred.out_shapes, inferred.out_codes
