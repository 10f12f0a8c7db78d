"""Warnings about deprecated operators, once for each line that calls one.

Only the function of a deprecated operator is wrapped; others have no overhead.
"""

import warnings
from collections.abc import Callable
from typing import Any

from ...base.traps import program_level

__all__ = ["deprecation_text", "warning_invoke"]


def deprecation_text(since: str, replacement: str) -> str:
    """Return the version since which an operator is deprecated, and its replacement.

    Examples
    --------
    >>> deprecation_text("1.2", "new")
    '1.2; use new'
    """
    return f"{since}; use {replacement}" if since and replacement else since


def warning_invoke(entry: Any, invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Return `invoke` preceded by the operator's warning.

    Parameters
    ----------
    entry : Entry
        Entry of a deprecated operator.
    invoke : callable
        Function that the operator's function calls.
    """
    old = entry.prop_class
    since = deprecation_text(old.deprecated_since, old.replacement)
    text = f"operator {entry.versioned_name} is deprecated since {since}"

    def warn_and_invoke(*call: Any) -> Any:
        # Python's filters show a warning once for each line; FutureWarning is shown by default.
        warnings.warn(text, FutureWarning, stacklevel=program_level())
        return invoke(*call)

    return warn_and_invoke
