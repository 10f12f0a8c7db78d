"""Named attributes of operators: arbitrary keys, with values of the same kind for each key.

Readers of a key, such as graph passes, can rely on the kind. The first value under a key determines
its kind; all callables count as functions.
"""

from collections.abc import Mapping
from typing import Any

from ...base.errors import OpforgeError

__all__ = ["check_kinds"]

#: Key -> (kind, operator) of the first value. `FInplaceOption` may be a list, as in the core, or a
#: function of the attributes, as in NNVM registrations.
_kinds: dict[str, tuple[str, str]] = {}
_TWO_KINDS = {"FInplaceOption": frozenset({"list", "function"})}


def check_kinds(operator: str, attrs: Mapping[str, Any]) -> None:
    """Reject values whose kind differs from that of other operators' values under the same key.

    Raises
    ------
    OpforgeError
        The kinds differ; the message names the operator that had the key first.
    """
    for key, value in attrs.items():
        kind = _kind(value)
        if kind in _TWO_KINDS.get(key, ()):
            continue
        known, first = _kinds.setdefault(key, (kind, operator))
        if kind != known:
            raise OpforgeError(
                f"operator '{operator}': attribute {key!r} is {value!r:.60}, of the kind {kind}, "
                f"but operator '{first}' has a {known} under this key; all values under a key "
                "must be of the same kind"
            )


def _kind(value: Any) -> str:
    if callable(value) and not isinstance(value, type):
        return "function"
    return type(value).__name__
