"""`sym.Custom`: a registered custom operator as a node of a graph."""

from typing import Any

from ..base.errors import AttributeValueError
from ..base.node_attributes import is_free
from ..op.calling.binding import custom_handle
from ..op.calling.custom_call import attribute_pairs
from ..op.declaring.custom import stringify
from ..op.registry.registry import lookup_custom
from .composition import apply
from .node import Operation
from .symbol import Symbol

__all__ = ["Custom", "custom_operation"]


def custom_operation(op_type: str, attributes: dict[str, Any]) -> Operation:
    """Return the custom operator registered as `op_type`, with attributes."""
    entry = lookup_custom(op_type)
    pairs = attribute_pairs(entry, attributes)
    bound = custom_handle(entry).bound(pairs)
    texts = {key: stringify(value) for key, value in attributes.items()}
    return Operation("Custom", bound, {"op_type": op_type, **texts})


def Custom(
    *args: Any,
    op_type: str | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    **kwargs: Any,
) -> Any:
    """Compose the custom operator registered as `op_type`.

    Parameters
    ----------
    *args : Symbol
        Inputs in the order of ``list_arguments()``, then auxiliary states. They may also be passed
        by name; missing ones become variables.
    op_type : str
        Registered name.
    name : str, optional
    attr : dict of str to str, optional
    **kwargs
        Inputs by name; attributes that any node may carry, such as ``lr_mult`` and ``__layout__``;
        all other keywords are passed to the operator's constructor.

    Examples
    --------
    >>> from opforge import sym
    >>> sym.Custom(sym.var("x"), op_type="softmax", name="s").list_outputs()
    ['s_output']
    """
    if op_type is None:
        raise AttributeValueError("Required argument `op_type` is missing.")
    named = {key: value for key, value in kwargs.items() if isinstance(value, Symbol)}
    free = {key: stringify(value) for key, value in kwargs.items() if is_free(key)}
    own = {k: v for k, v in kwargs.items() if k not in named and k not in free}
    operation = custom_operation(op_type, own)
    names = [*operation.prop.list_arguments(), *operation.prop.list_auxiliary_states()]
    given = dict(zip(names, args, strict=False))
    unknown = sorted(set(named) - set(names)) or sorted(set(named) & set(given))
    if unknown or len(args) > len(names):
        raise TypeError(
            f"sym.Custom(op_type={op_type!r}) takes the inputs {', '.join(names)}; "
            f"{', '.join(unknown) or f'{len(args)} positional inputs'} do not fit"
        )
    given.update(named)
    for key, value in given.items():
        if not isinstance(value, Symbol) or len(value.edges) != 1:
            raise TypeError(
                f"sym.Custom(op_type={op_type!r}): input '{key}' must be a Symbol of one output, "
                f"got {value!r:.60}"
            )
    edges = {key: value.edges[0] for key, value in given.items()}
    return apply(operation, edges, name, {**free, **(attr or {})}, hint="custom")
