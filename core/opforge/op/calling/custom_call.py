"""`Custom`: call an operator by its registered name, as MXNet programs do."""

from typing import Any

from ...base.errors import AttributeValueError, OpforgeError
from ...native.array import Array
from ...native.dispatch.invoking import invoke
from ...native.dispatch.plans import Handle
from ..declaring.custom import stringify
from ..declaring.declaration import OperatorProp
from ..registry.registry import Entry, lookup_custom
from .binding import custom_handle

__all__ = ["Custom", "attribute_pairs"]

# op_type -> (entry, handle); registering a name again creates another entry.
_handles: dict[str, tuple[Entry, Handle]] = {}


def Custom(
    *inputs: Any, op_type: "str | None" = None, out: Any = None, name: Any = None, **attributes: Any
) -> Any:
    """Call the operator registered as `op_type`.

    Parameters
    ----------
    *inputs : NDArray
        In the order of the operator's ``list_arguments()``, then its auxiliary states; may also be
        passed by name.
    op_type : str
        Registered name.
    out : NDArray or list of NDArray, optional
        Arrays for the outputs.
    name : str, optional
        Ignored; accepted for programs that also build symbols.
    **attributes
        Passed to the operator's constructor, as strings if it is a `CustomOpProp`.

    Returns
    -------
    NDArray or list of NDArray
        A list if the operator has several outputs.

    Raises
    ------
    OperatorNotFoundError
        No operator is registered as `op_type`.
    OperatorError
        The operator's own code raised; the original exception is its cause.
    """
    if op_type is None:
        raise AttributeValueError("Required argument `op_type` is missing.")
    if not isinstance(op_type, str):
        raise AttributeValueError(f"Custom: op_type is {op_type!r}, expected a name, a str")
    entry = lookup_custom(op_type)
    known = _handles.get(op_type)
    if known is None or known[0] is not entry:
        known = _handles[op_type] = entry, custom_handle(entry)
    handle = known[1]
    if not attributes:
        return invoke(handle, inputs, (), out)
    named = {key: value for key, value in attributes.items() if isinstance(value, Array)}
    pairs = attribute_pairs(entry, {k: v for k, v in attributes.items() if k not in named})
    if named:
        inputs = _in_order(handle, pairs, inputs, named)
    return invoke(handle, inputs, pairs, out)


def attribute_pairs(entry: Entry, attributes: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the attributes in the form that dispatch caches: strings for a `CustomOpProp`."""
    if issubclass(entry.prop_class, OperatorProp):
        return tuple(attributes.items())
    return tuple((key, stringify(value)) for key, value in attributes.items())


def _in_order(
    handle: Handle, pairs: Any, inputs: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...]:
    """Append inputs that are passed by name to the positional ones, in order."""
    prop = handle.bound(pairs).prop
    names = [*prop.list_arguments(), *prop.list_auxiliary_states()]
    unknown = sorted(set(named) - set(names[len(inputs) :]))
    if unknown:
        raise OpforgeError(
            f"operator '{handle.name}' has no free input named {', '.join(unknown)}; its inputs "
            f"are {', '.join(names)}, of which the first {len(inputs)} were given by position"
        )
    return inputs + tuple(named[n] for n in names[len(inputs) :] if n in named)
