"""Questions to declarations of either protocol, `OperatorProp` or MXNet's `CustomOpProp`."""

from typing import Any

from .custom import CustomOpProp
from .declaration import OperatorProp

__all__ = ["declared_name", "visible_outputs"]


def declared_name(prop: Any) -> str:
    """Return the name of a declaration; empty for a `CustomOpProp`, whose `name` is private.

    Examples
    --------
    >>> class Mine(OperatorProp):
    ...     name = "mine"
    >>> declared_name(Mine()), declared_name(CustomOpProp())
    ('mine', '')
    """
    if isinstance(prop, CustomOpProp) and not isinstance(prop, OperatorProp):
        return ""
    name: str = prop.name
    return name


def visible_outputs(prop: Any, count: int) -> Any:
    """Return the number of outputs of a declaration that the caller sees.

    Parameters
    ----------
    prop : CustomOpProp
        The declaration; if it declares no number, all outputs are visible.
    count : int
        Number of its outputs.
    """
    declared = getattr(type(prop), "num_visible_outputs", None)
    if declared is OperatorProp.num_visible_outputs:
        return count
    return getattr(prop, "num_visible_outputs", count)
