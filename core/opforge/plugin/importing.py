"""Import of the object that an entry point names."""

from importlib import import_module
from operator import attrgetter
from typing import Any

__all__ = ["import_object"]


def import_object(value: str) -> Any:
    """Return the object that an entry point's value names.

    Parameters
    ----------
    value : str
        ``module`` or ``module:object``; the object may be a dotted attribute.

    Examples
    --------
    >>> import_object("math:pi")
    3.141592653589793
    """
    module_name, _, path = value.partition(":")
    module = import_module(module_name.strip())
    return attrgetter(path.strip())(module) if path else module
