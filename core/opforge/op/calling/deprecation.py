"""Warnings about operators that should not be used in new programs, once for each line that does.

Only the function of a deprecated operator warns; all others are as they were.
"""

import warnings
from collections.abc import Callable
from typing import Any

from ...base.traps import program_level

__all__ = ["deprecation_text", "warning_invoke"]


def deprecation_text(since: str, replacement: str) -> str:
    """Return since when an operator is deprecated and what replaces it.

    Examples
    --------
    >>> deprecation_text("1.2", "new")
    '1.2; use new'
    """
    return f"{since}; use {replacement}" if since and replacement else since


def warning_invoke(entry: Any, invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Return `invoke` with the operator's warning before it.

    Parameters
    ----------
    entry : Entry
        Of a deprecated operator.
    invoke : callable
        What the operator's function calls.
    """
    old = entry.prop_class
    since = deprecation_text(old.deprecated_since, old.replacement)
    text = f"operator {entry.versioned_name} is deprecated since {since}"

    def warn_and_invoke(*call: Any) -> Any:
        # Python's own filters show a warning once for each line; users see FutureWarning anywhere.
        warnings.warn(text, FutureWarning, stacklevel=program_level())
        return invoke(*call)

    return warn_and_invoke
